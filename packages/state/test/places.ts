import { randomUUID } from 'node:crypto'
import type { Place, RunwayLimits, TakeOptions } from '../src/index.ts'

/** Ends long after any test. */
export const FOR_LONG: TakeOptions = { expiresInMs: 600_000, yieldToBacklog: false }
/** As a publish asks. */
export const YIELDING: TakeOptions = { expiresInMs: 600_000, yieldToBacklog: true }

/** Bounds that no test reaches unless it names one. */
export function limitsOf(limits: Partial<RunwayLimits> = {}): RunwayLimits {
  return { perTenant: 10_000, totalJobs: 100_000, totalBytes: 1e9, ...limits }
}

/** A place of an event of its own, of `tenant` unless it names another. */
export function placeOf(place: Partial<Place> = {}): Place {
  return {
    queue: 'fresh',
    tenantUid: 'tenant',
    destinationUid: `destination of ${place.tenantUid ?? 'tenant'}`,
    eventUid: randomUUID(),
    dispatch: 1,
    bytes: 600,
    ...place,
  }
}

/** Places of events of their own, each to a destination of its own. */
export function placesOf(count: number, place: Partial<Place> = {}): Place[] {
  return Array.from({ length: count }, (_, index) =>
    placeOf({ destinationUid: `destination ${index} of ${place.tenantUid ?? 'tenant'}`, ...place }),
  )
}

/** How many of the answers are a yes. */
export function countTaken(answers: readonly boolean[]): number {
  return answers.filter(Boolean).length
}

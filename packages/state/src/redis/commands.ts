import type { Redis, Result } from 'ioredis'
import { destinationBound } from '../bounds.ts'
import {
  type Place,
  type RunwayLimits,
  type TakeOptions,
  TENANT_MINIMUM_PLACES,
} from '../shared-state.ts'
import { RELEASE_PLACES, TAKE_PLACES } from './scripts.ts'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takePlaces(prefix: string, ...args: (string | number)[]): Result<string, Context>
    releasePlaces(prefix: string, places: string): Result<number, Context>
  }
}

/** What `new Redis` is to know, so that a connection has the commands of this file. */
export const COMMANDS = {
  takePlaces: { lua: TAKE_PLACES, numberOfKeys: 1 },
  releasePlaces: { lua: RELEASE_PLACES, numberOfKeys: 1 },
}

/** Takes places in one command. Rejects when it failed or its answer was lost: it may have run. */
export async function takePlaces(
  redis: Redis,
  prefix: string,
  places: readonly Place[],
  { limits, expiresInMs, yieldToBacklog }: TakeOptions & { readonly limits: RunwayLimits },
): Promise<boolean[]> {
  const answer = await redis.takePlaces(
    prefix,
    limits.perTenant,
    destinationBound(limits),
    limits.totalJobs,
    limits.totalBytes,
    TENANT_MINIMUM_PLACES,
    wholeMs(expiresInMs),
    yieldToBacklog ? '1' : '0',
    encodePlaces(places),
  )
  return Array.from(answer, (taken) => taken === '1')
}

/**
 * Gives places back in one command, and tells how many were held. May be run again: what is not held is
 * passed over.
 */
export function releasePlaces(
  redis: Redis,
  prefix: string,
  places: readonly Place[],
): Promise<number> {
  return redis.releasePlaces(prefix, encodePlaces(places))
}

/** A duration as Redis takes one: it refuses fractions and zero. */
export function wholeMs(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs))
}

/** One flat argument for all places: each argument of a command costs as much as a whole place here. */
function encodePlaces(places: readonly Place[]): string {
  const values: (string | number)[] = []
  for (const place of places) {
    values.push(
      place.queue,
      place.tenantUid,
      place.destinationUid,
      place.eventUid,
      place.dispatch,
      place.bytes,
    )
  }
  return JSON.stringify(values)
}

import type { Place, RunwayLimits } from './shared-state.ts'

/** Places per destination and queue: a quarter of its tenant's, so that one cannot fill them all. */
export function destinationBound(limits: RunwayLimits): number {
  return Math.ceil(limits.perTenant / 4)
}

/** What a held place is known by: whoever gives it back names all of this. */
export function memberOf(place: Place): string {
  return `${place.eventUid} ${place.destinationUid} ${place.dispatch} ${place.bytes}`
}

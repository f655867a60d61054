import {
  type Place,
  type RunwayLimits,
  type TakeOptions,
  TENANT_MINIMUM_PLACES,
} from '../src/index.ts'

interface Held {
  readonly place: Place
  readonly endsAtMs: number
}

/**
 * The runway as ARCHITECTURE.md tells it, in the plainest words that run: a list of held places that is
 * counted anew at every question. What the adapters are measured against.
 */
export class RunwayModel {
  readonly #limits: RunwayLimits
  #nowMs = 0
  #held: Held[] = []
  readonly #backlogs = new Map<string, number>()
  readonly #narrowed = new Map<string, { readonly places: number; readonly endsAtMs: number }>()

  constructor(limits: RunwayLimits) {
    this.#limits = limits
  }

  get held(): readonly Place[] {
    return this.#held.map(({ place }) => place)
  }

  pass(ms: number): void {
    this.#nowMs += ms
    this.#held = this.#held.filter(({ endsAtMs }) => endsAtMs > this.#nowMs)
  }

  take(places: readonly Place[], options: TakeOptions): boolean[] {
    return places.map((place) => this.#take(place, options))
  }

  release(places: readonly Place[]): void {
    this.#held = this.#held.filter(({ place }) => !places.some((given) => isSame(given, place)))
  }

  markBacklog(place: Place, ttlMs: number): void {
    this.#backlogs.set(`${place.queue} ${place.tenantUid}`, this.#nowMs + ttlMs)
  }

  clearBacklog(place: Place): void {
    this.#backlogs.delete(`${place.queue} ${place.tenantUid}`)
  }

  narrow(destinationUid: string, places: number, ttlMs: number): void {
    this.#narrowed.set(destinationUid, { places, endsAtMs: this.#nowMs + ttlMs })
  }

  /** Which bounds are exceeded; none may ever be, whatever was asked in whatever order. */
  exceeded(): string[] {
    const { perTenant, totalJobs } = this.#limits
    const ofTenants = countBy(this.held, (place) => `${place.queue} ${place.tenantUid}`)
    const ofDestinations = countBy(this.held, (place) => `${place.queue} ${place.destinationUid}`)
    // Beyond the total there can only be what each tenant may always take.
    const minimums = [...ofTenants.values()].reduce(
      (sum, count) => sum + Math.min(count, TENANT_MINIMUM_PLACES),
      0,
    )
    return [
      ...[...ofTenants].filter(([, count]) => count > perTenant),
      ...[...ofDestinations].filter(([, count]) => count > Math.ceil(perTenant / 4)),
      ...(this.#held.length > totalJobs + minimums ? ['jobs'] : []),
    ].map(String)
  }

  #take(place: Place, options: TakeOptions): boolean {
    const backlogEndsAtMs = this.#backlogs.get(`${place.queue} ${place.tenantUid}`) ?? 0
    if (options.yieldToBacklog && backlogEndsAtMs > this.#nowMs) return false
    if (!this.#hasRoom(place)) {
      if (options.yieldToBacklog) this.markBacklog(place, options.expiresInMs)
      return false
    }
    if (this.#held.some((held) => isSame(held.place, place))) return false
    this.#held.push({ place, endsAtMs: this.#nowMs + options.expiresInMs })
    return true
  }

  #hasRoom(place: Place): boolean {
    const { perTenant, totalJobs, totalBytes } = this.#limits
    const ofTenant = this.#count(
      (held) => held.queue === place.queue && held.tenantUid === place.tenantUid,
    )
    const ofDestination = this.#count((held) => held.destinationUid === place.destinationUid)
    const ofDestinationHere = this.#count(
      (held) => held.destinationUid === place.destinationUid && held.queue === place.queue,
    )
    const narrow = this.#narrowed.get(place.destinationUid)
    if (narrow && narrow.endsAtMs > this.#nowMs && ofDestination >= narrow.places) return false
    if (ofTenant >= perTenant || ofDestinationHere >= Math.ceil(perTenant / 4)) return false
    const bytes = this.held.reduce((sum, held) => sum + held.bytes, place.bytes)
    const fitsTotal = this.#held.length + 1 <= totalJobs && bytes <= totalBytes
    return fitsTotal || ofTenant < TENANT_MINIMUM_PLACES
  }

  #count(matches: (place: Place) => boolean): number {
    return this.#held.filter(({ place }) => matches(place)).length
  }
}

function isSame(a: Place, b: Place): boolean {
  return (
    a.queue === b.queue &&
    a.tenantUid === b.tenantUid &&
    a.destinationUid === b.destinationUid &&
    a.eventUid === b.eventUid &&
    a.dispatch === b.dispatch &&
    a.bytes === b.bytes
  )
}

function countBy(places: readonly Place[], keyOf: (place: Place) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const place of places) counts.set(keyOf(place), (counts.get(keyOf(place)) ?? 0) + 1)
  return counts
}

import type { Log, QueueName } from '@postrider/common'
import { AnnouncementListeners } from '../announcement-listeners.ts'
import { destinationBound, memberOf } from '../bounds.ts'
import {
  type Announcement,
  type Place,
  type RunwayLimits,
  type SharedState,
  type TakeOptions,
  TENANT_MINIMUM_PLACES,
} from '../shared-state.ts'
import { ExpiringMap } from './expiring-map.ts'
import { type Expiring, ExpiryHeap } from './expiry-heap.ts'

export interface InProcessStateOptions {
  readonly limits: RunwayLimits
  readonly log: Log
  /**
   * Milliseconds of a clock that never goes back. Default: the time since the process started, because
   * a step of the wall clock must neither end places nor keep them.
   */
  readonly nowMs?: () => number
}

interface HeldPlace extends Expiring {
  readonly place: Place
  readonly member: string
}

/** The state of a single process, in its memory. */
export class InProcessState implements SharedState {
  readonly isAway = false
  readonly #limits: RunwayLimits
  readonly #nowMs: () => number
  readonly #listeners: AnnouncementListeners
  readonly #held = new Map<string, HeldPlace>()
  readonly #ends = new ExpiryHeap<HeldPlace>()
  /** Held places by tenant and queue. A count of 0 has no entry. */
  readonly #counts = new Map<string, number>()
  /** Held places by destination and queue, the one taken longest ago first. None is empty. */
  readonly #ofDestination = new Map<string, Set<HeldPlace>>()
  #bytes = 0
  readonly #backlogs = new ExpiringMap<true>()
  readonly #narrowed = new ExpiringMap<number>()

  constructor(options: InProcessStateOptions) {
    this.#limits = options.limits
    this.#nowMs = options.nowMs ?? (() => performance.now())
    this.#listeners = new AnnouncementListeners(options.log)
  }

  takePlaces(places: readonly Place[], options: TakeOptions): Promise<readonly boolean[]> {
    const nowMs = this.#nowMs()
    this.#forgetEnded(nowMs)
    return Promise.resolve(places.map((place) => this.#take(place, options, nowMs)))
  }

  releasePlaces(places: readonly Place[]): Promise<void> {
    for (const place of places) {
      const held = this.#find(place)
      if (held === undefined) continue
      this.#release(held)
    }
    return Promise.resolve()
  }

  /**
   * Gives back, for each of these places that are not held here, the one that was taken longest ago for
   * the same destination and queue, if there is one.
   */
  releaseInstead(places: readonly Place[]): void {
    for (const { queue, destinationUid } of places) {
      const [held] = this.#ofDestination.get(destinationKey(queue, destinationUid)) ?? []
      if (held !== undefined) this.#release(held)
    }
  }

  /** Whether the place was taken here and has been given back by nobody. */
  holds(place: Place): boolean {
    return this.#find(place) !== undefined
  }

  markBacklog(tenantUid: string, queue: QueueName, ttlMs: number): Promise<void> {
    const nowMs = this.#nowMs()
    this.#backlogs.set(tenantKey(queue, tenantUid), true, nowMs + ttlMs, nowMs)
    return Promise.resolve()
  }

  clearBacklog(tenantUid: string, queue: QueueName): Promise<void> {
    this.#backlogs.delete(tenantKey(queue, tenantUid))
    return Promise.resolve()
  }

  narrowDestination(destinationUid: string, places: number, ttlMs: number): Promise<void> {
    const nowMs = this.#nowMs()
    this.#narrowed.set(destinationUid, places, nowMs + ttlMs, nowMs)
    return Promise.resolve()
  }

  announce(announcements: readonly Announcement[]): Promise<void> {
    this.#listeners.tell(announcements)
    return Promise.resolve()
  }

  onAnnouncement(listener: (announcement: Announcement) => void): () => void {
    return this.#listeners.add(listener)
  }

  stop(): Promise<void> {
    return Promise.resolve()
  }

  #find(place: Place): HeldPlace | undefined {
    const held = this.#held.get(memberOf(place))
    return held !== undefined && isSameRunway(held.place, place) ? held : undefined
  }

  #take(place: Place, options: TakeOptions, nowMs: number): boolean {
    const tenant = tenantKey(place.queue, place.tenantUid)
    if (options.yieldToBacklog && this.#backlogs.get(tenant, nowMs)) return false
    if (!this.#hasRoom(place, nowMs)) {
      if (options.yieldToBacklog) {
        this.#backlogs.set(tenant, true, nowMs + options.expiresInMs, nowMs)
      }
      return false
    }
    const member = memberOf(place)
    if (this.#held.has(member)) return false
    this.#hold({ place, member, expiresAtMs: nowMs + options.expiresInMs, heapIndex: 0 })
    return true
  }

  #hold(held: HeldPlace): void {
    const { place, member } = held
    this.#held.set(member, held)
    this.#ends.push(held)
    this.#count(place, 1)
    const key = destinationKey(place.queue, place.destinationUid)
    const others = this.#ofDestination.get(key)
    if (others === undefined) this.#ofDestination.set(key, new Set([held]))
    else others.add(held)
  }

  #release(held: HeldPlace): void {
    this.#ends.remove(held)
    this.#forget(held)
  }

  #hasRoom(place: Place, nowMs: number): boolean {
    const { perTenant, totalJobs, totalBytes } = this.#limits
    const { queue, destinationUid } = place
    const ofTenant = this.#counts.get(tenantKey(queue, place.tenantUid)) ?? 0
    const ofDestination = this.#heldBy(queue, destinationUid)
    if (ofTenant >= perTenant || ofDestination >= destinationBound(this.#limits)) return false
    const narrow = this.#narrowed.get(destinationUid, nowMs)
    if (narrow !== undefined) {
      const other = this.#heldBy(queue === 'fresh' ? 'retry' : 'fresh', destinationUid)
      if (ofDestination + other >= narrow) return false
    }
    if (ofTenant < TENANT_MINIMUM_PLACES) return true
    return this.#held.size < totalJobs && this.#bytes + place.bytes <= totalBytes
  }

  #forgetEnded(nowMs: number): void {
    for (let held = this.#ends.popEnded(nowMs); held; held = this.#ends.popEnded(nowMs)) {
      this.#forget(held)
    }
  }

  #forget(held: HeldPlace): void {
    const { member, place } = held
    this.#held.delete(member)
    this.#count(place, -1)
    const key = destinationKey(place.queue, place.destinationUid)
    const others = this.#ofDestination.get(key)
    others?.delete(held)
    if (others?.size === 0) this.#ofDestination.delete(key)
  }

  #heldBy(queue: QueueName, destinationUid: string): number {
    return this.#ofDestination.get(destinationKey(queue, destinationUid))?.size ?? 0
  }

  #count({ queue, tenantUid, bytes }: Place, change: 1 | -1): void {
    this.#bytes += change * bytes
    const key = tenantKey(queue, tenantUid)
    const count = (this.#counts.get(key) ?? 0) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }
}

function isSameRunway(a: Place, b: Place): boolean {
  return a.queue === b.queue && a.tenantUid === b.tenantUid
}

function tenantKey(queue: QueueName, tenantUid: string): string {
  return `${queue}:tenant:${tenantUid}`
}

function destinationKey(queue: QueueName, destinationUid: string): string {
  return `${queue}:destination:${destinationUid}`
}

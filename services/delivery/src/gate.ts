import type { QueueName } from '@postrider/common'

/**
 * Shares of a deliverer's window: one tenant's trouble stays its own (ARCHITECTURE.md, promise 4).
 *
 * A job is *held* from its arrival to its ack and *in flight* while it is being sent. Each queue has a
 * part of the window, its prefetch, and is counted by itself: full of one queue's jobs, a part keeps
 * waiting whoever comes behind them in that queue, and nobody else. Bounds:
 *
 * - a destination has at most `destinationMaxInFlight` sends in flight, of both queues together; more
 *   of its jobs wait in a queue of its own;
 * - no tenant holds more than an eighth of a part;
 * - destinations that lately timed out or took over a second hold no more than half of it together;
 * - a destination's queue holds at most twice its sends in flight.
 *
 * What exceeds the last three is deferred: back to Postgres, to come again. They bind only while
 * somebody else may be waiting, which is when the part is nearly full (what lies behind it in the
 * broker cannot be seen) and, for a tenant's share, when another tenant was seen in it lately.
 */
export interface GateOptions {
  /** Jobs of each queue held at once. */
  readonly prefetch: Readonly<Record<QueueName, number>>
  readonly destinationMaxInFlight: number
  /** Monotonic milliseconds. (Default: `performance.now()`) */
  readonly nowMs?: () => number
}

/** What the gate must know of a job. */
export interface GateJob {
  readonly queue: QueueName
  readonly tenantUid: string
  readonly destinationUid: string
}

export type Admission = 'go' | 'wait' | 'defer'

interface TenantShare {
  held: number
  seenAt: number
}

/** A queue's part of the window. */
interface Part {
  readonly size: number
  held: number
  slowHeld: number
  readonly tenants: Map<string, TenantShare>
}

interface DestinationShare<T> {
  readonly held: Record<QueueName, number>
  inFlight: number
  waiting: T[]
  slowUntil: number
  isSlow: boolean
}

/** A destination counts as slow for this long after it was. */
const SLOW_FOR_MS = 30_000
/** A send that takes longer than this is slow. */
const SLOW_AFTER_MS = 1000
const SEEN_LATELY_MS = 5000
/** Above this much of a part somebody else may be waiting behind it. */
const PRESSURE = 0.75

export class Gate<T extends GateJob> {
  readonly #options: GateOptions
  readonly #nowMs: () => number
  readonly #parts: Readonly<Record<QueueName, Part>>
  readonly #destinations = new Map<string, DestinationShare<T>>()

  constructor(options: GateOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
    const { fresh, retry } = options.prefetch
    this.#parts = { fresh: emptyPart(fresh), retry: emptyPart(retry) }
  }

  /** Jobs held: arrived and not finished. */
  get held(): number {
    return this.#parts.fresh.held + this.#parts.retry.held
  }

  /**
   * Counts an arriving job and says what to do with it. `go`: send it now. `wait`: the gate keeps it
   * and hands it out from a later `sendEnded`. `defer`: put it back. In every case `finish` must
   * follow once.
   */
  arrive(job: T): Admission {
    const now = this.#nowMs()
    const part = this.#parts[job.queue]
    const tenant = tenantOf(part, job.tenantUid)
    const destination = this.#destination(job.destinationUid)
    this.#forgetSlowness(destination, now)
    const admission = this.#judge(part, tenant, destination, now)
    tenant.seenAt = now
    tenant.held++
    destination.held[job.queue]++
    part.held++
    if (destination.isSlow) part.slowHeld++
    if (admission === 'go') destination.inFlight++
    if (admission === 'wait') destination.waiting.push(job)
    return admission
  }

  /**
   * A job that was told to go has been sent, or will not be.
   *
   * @param tookMs - how long the send took; null when there was none
   * @returns the job that has waited longest for its place, which goes now; null when none waits
   */
  sendEnded(job: T, tookMs: number | null): T | null {
    const destination = this.#destination(job.destinationUid)
    destination.inFlight--
    if (tookMs !== null && tookMs > SLOW_AFTER_MS) this.#markSlow(destination)
    const next = destination.waiting.shift() ?? null
    if (next !== null) destination.inFlight++
    return next
  }

  /** The job is acked, or forgotten with its channel. */
  finish(job: T): void {
    const part = this.#parts[job.queue]
    const destination = this.#destination(job.destinationUid)
    tenantOf(part, job.tenantUid).held--
    destination.held[job.queue]--
    part.held--
    if (destination.isSlow) part.slowHeld--
    this.#forgetSlowness(destination, this.#nowMs())
    if (isForgettable(destination)) this.#destinations.delete(job.destinationUid)
  }

  /** Takes a waiting job out of its destination's queue. `finish` must still follow. */
  withdraw(job: T): void {
    const destination = this.#destination(job.destinationUid)
    destination.waiting = destination.waiting.filter((other) => other !== job)
  }

  /** Takes all waiting jobs out; each must be finished. For the stop. */
  takeWaiting(): T[] {
    const all: T[] = []
    for (const destination of this.#destinations.values()) {
      all.push(...destination.waiting)
      destination.waiting = []
    }
    return all
  }

  /** Forgets tenants that were not seen lately; to be called now and then. */
  sweep(): void {
    const now = this.#nowMs()
    for (const { tenants } of Object.values(this.#parts)) {
      for (const [uid, tenant] of tenants) {
        if (!isSeenLately(tenant, now)) tenants.delete(uid)
      }
    }
    for (const [uid, destination] of this.#destinations) {
      this.#forgetSlowness(destination, now)
      if (isForgettable(destination)) this.#destinations.delete(uid)
    }
  }

  #judge(
    part: Part,
    tenant: TenantShare,
    destination: DestinationShare<T>,
    now: number,
  ): Admission {
    const { destinationMaxInFlight } = this.#options
    const pressed = part.held >= part.size * PRESSURE
    if (pressed) {
      if (tenant.held >= part.size / 8 && othersSeen(part, tenant, now)) return 'defer'
      if (destination.isSlow && part.slowHeld >= part.size / 2) return 'defer'
    }
    if (destination.inFlight < destinationMaxInFlight) return 'go'
    if (pressed && destination.waiting.length >= 2 * destinationMaxInFlight) return 'defer'
    return 'wait'
  }

  #markSlow(destination: DestinationShare<T>): void {
    destination.slowUntil = this.#nowMs() + SLOW_FOR_MS
    if (destination.isSlow) return
    destination.isSlow = true
    this.#parts.fresh.slowHeld += destination.held.fresh
    this.#parts.retry.slowHeld += destination.held.retry
  }

  #forgetSlowness(destination: DestinationShare<T>, now: number): void {
    if (!destination.isSlow || now < destination.slowUntil) return
    destination.isSlow = false
    this.#parts.fresh.slowHeld -= destination.held.fresh
    this.#parts.retry.slowHeld -= destination.held.retry
  }

  #destination(uid: string): DestinationShare<T> {
    let destination = this.#destinations.get(uid)
    if (destination === undefined) {
      const held = { fresh: 0, retry: 0 }
      destination = { held, inFlight: 0, waiting: [], slowUntil: 0, isSlow: false }
      this.#destinations.set(uid, destination)
    }
    return destination
  }
}

function emptyPart(size: number): Part {
  return { size, held: 0, slowHeld: 0, tenants: new Map() }
}

function tenantOf(part: Part, uid: string): TenantShare {
  let tenant = part.tenants.get(uid)
  if (tenant === undefined) {
    tenant = { held: 0, seenAt: 0 }
    part.tenants.set(uid, tenant)
  }
  return tenant
}

function isSeenLately(tenant: TenantShare, now: number): boolean {
  return tenant.held > 0 || now - tenant.seenAt <= SEEN_LATELY_MS
}

function othersSeen(part: Part, tenant: TenantShare, now: number): boolean {
  for (const other of part.tenants.values()) {
    if (other !== tenant && isSeenLately(other, now)) return true
  }
  return false
}

function isForgettable<T>({ held, isSlow }: DestinationShare<T>): boolean {
  return held.fresh === 0 && held.retry === 0 && !isSlow
}

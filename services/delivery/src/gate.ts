/**
 * Shares of a deliverer's window: one tenant's trouble stays its own (DESIGN.md promise 4).
 *
 * A job is *held* from its arrival to its ack and *in flight* while it is being sent. Bounds:
 *
 * - a destination has at most `destinationMaxInFlight` sends in flight; more of its jobs wait in a
 *   queue of its own;
 * - no tenant holds more than an eighth of the window;
 * - destinations that lately timed out or took over a second hold no more than half of it together;
 * - a destination's queue holds at most twice its sends in flight.
 *
 * What exceeds the last three is deferred: back to Postgres, to come again. They bind only while
 * somebody else may be waiting, which is when the window is nearly full (what lies behind it in the
 * broker cannot be seen) and, for a tenant's share, when another tenant was seen lately.
 */
export interface GateOptions {
  /** Jobs held at once; the sum of the consumers' prefetch. */
  readonly window: number
  readonly destinationMaxInFlight: number
  /** Monotonic milliseconds. (Default: `performance.now()`) */
  readonly nowMs?: () => number
}

/** What the gate must know of a job. */
export interface GateJob {
  readonly tenantUid: string
  readonly destinationUid: string
}

export type Admission = 'go' | 'wait' | 'defer'

interface TenantShare {
  held: number
  seenAt: number
}

interface DestinationShare<T> {
  held: number
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
/** Above this part of the window somebody else may be waiting behind it. */
const PRESSURE = 0.75

export class Gate<T extends GateJob> {
  readonly #options: GateOptions
  readonly #nowMs: () => number
  readonly #tenants = new Map<string, TenantShare>()
  readonly #destinations = new Map<string, DestinationShare<T>>()
  #held = 0
  #slowHeld = 0

  constructor(options: GateOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
  }

  /** Jobs held: arrived and not finished. */
  get held(): number {
    return this.#held
  }

  /**
   * Counts an arriving job and says what to do with it. `go`: send it now. `wait`: the gate keeps it
   * and hands it out from a later `sendEnded`. `defer`: put it back. In every case `finish` must
   * follow once.
   */
  arrive(job: T): Admission {
    const now = this.#nowMs()
    const tenant = this.#tenant(job.tenantUid)
    const destination = this.#destination(job.destinationUid)
    this.#forgetSlowness(destination, now)
    const admission = this.#judge(tenant, destination, now)
    tenant.seenAt = now
    tenant.held++
    destination.held++
    this.#held++
    if (destination.isSlow) this.#slowHeld++
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
    const tenant = this.#tenant(job.tenantUid)
    const destination = this.#destination(job.destinationUid)
    tenant.held--
    destination.held--
    this.#held--
    if (destination.isSlow) this.#slowHeld--
    const now = this.#nowMs()
    this.#forgetSlowness(destination, now)
    if (destination.held === 0 && !destination.isSlow) this.#destinations.delete(job.destinationUid)
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
    for (const [uid, tenant] of this.#tenants) {
      if (tenant.held === 0 && now - tenant.seenAt > SEEN_LATELY_MS) this.#tenants.delete(uid)
    }
    for (const [uid, destination] of this.#destinations) {
      this.#forgetSlowness(destination, now)
      if (destination.held === 0 && !destination.isSlow) this.#destinations.delete(uid)
    }
  }

  #judge(tenant: TenantShare, destination: DestinationShare<T>, now: number): Admission {
    const { window, destinationMaxInFlight } = this.#options
    const pressed = this.#held >= window * PRESSURE
    if (pressed) {
      if (tenant.held >= window / 8 && this.#othersSeen(tenant, now)) return 'defer'
      if (destination.isSlow && this.#slowHeld >= window / 2) return 'defer'
    }
    if (destination.inFlight < destinationMaxInFlight) return 'go'
    if (pressed && destination.waiting.length >= 2 * destinationMaxInFlight) return 'defer'
    return 'wait'
  }

  #othersSeen(tenant: TenantShare, now: number): boolean {
    for (const other of this.#tenants.values()) {
      if (other !== tenant && (other.held > 0 || now - other.seenAt <= SEEN_LATELY_MS)) return true
    }
    return false
  }

  #markSlow(destination: DestinationShare<T>): void {
    destination.slowUntil = this.#nowMs() + SLOW_FOR_MS
    if (destination.isSlow) return
    destination.isSlow = true
    this.#slowHeld += destination.held
  }

  #forgetSlowness(destination: DestinationShare<T>, now: number): void {
    if (!destination.isSlow || now < destination.slowUntil) return
    destination.isSlow = false
    this.#slowHeld -= destination.held
  }

  #tenant(uid: string): TenantShare {
    let tenant = this.#tenants.get(uid)
    if (tenant === undefined) {
      tenant = { held: 0, seenAt: 0 }
      this.#tenants.set(uid, tenant)
    }
    return tenant
  }

  #destination(uid: string): DestinationShare<T> {
    let destination = this.#destinations.get(uid)
    if (destination === undefined) {
      destination = { held: 0, inFlight: 0, waiting: [], slowUntil: 0, isSlow: false }
      this.#destinations.set(uid, destination)
    }
    return destination
  }
}

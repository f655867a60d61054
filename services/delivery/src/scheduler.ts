import type { JobQueue } from '@postrider/broker'
import { type Job, type Log, MAX_LOSSES, pause } from '@postrider/common'
import type { Place, SharedState } from '@postrider/state'
import {
  claimDeliveries,
  type DueDelivery,
  findEndedLeases,
  findWaiting,
  giveUp,
  reactionTo,
  releaseJobs,
  type Store,
  WALK_START,
  type WalkCursor,
} from '@postrider/store'
import { placeOfJob } from './place.ts'
import type { DelivererSettings } from './settings.ts'

export interface SchedulerParts {
  readonly settings: DelivererSettings
  readonly store: Store
  readonly jobs: JobQueue
  readonly state: SharedState
  readonly log: Log
  /**
   * After Postgres was away, ended leases wait this long, so that outcomes are written first.
   * (Default: 15 s)
   */
  readonly graceAfterOutageMs?: number
}

/** Pairs of tenant and destination that one walk visits, and deliveries that it takes of each. */
const PAIRS = 200
const PER_PAIR = 20
const ENDED_LEASES = 1000
/** Jobs claimed by one statement, which also carries their data. */
const CLAIM_BATCH = 500
/** The pause when nothing is due, and when all that is due lacks places. */
const IDLE_PAUSE_MS = 100
const NO_PLACES_PAUSE_MS = 25
const ERROR_PAUSE_MS = 500
const BACKLOG_MARK_MS = 5000
const DEFAULT_GRACE_AFTER_OUTAGE_MS = 15_000

/** What one round did. */
export interface Round {
  /** Jobs published, and not refused. */
  readonly claimed: number
  /** Deliveries that are due and found no place. */
  readonly waiting: number
  /** The walk came to the end of the tenants. */
  readonly isComplete: boolean
}

/**
 * Turns whatever is due into jobs. Runs in every delivery process, with no leader: claims skip what
 * another process has locked, and a place is given once.
 *
 * A round: walk on over the tenants that have waiting deliveries (they take turns, so that no backlog
 * starves another) and look for ended leases; take places on the runway; claim; and, only when the
 * claim has committed, publish.
 */
export class Scheduler {
  readonly #parts: SchedulerParts
  readonly #stopped = new AbortController()
  #cursor: WalkCursor = WALK_START
  #loop: Promise<void> | null = null
  /** Ended leases are left alone until then; Infinity while Postgres is away. */
  #leasesRestUntil = 0
  /** Tenants that this process marked as having a backlog. */
  readonly #marked = new Set<string>()
  #oldestDueMs = 0
  #oldestDueThisWalkMs = 0

  constructor(parts: SchedulerParts) {
    this.#parts = parts
  }

  /** How long the delivery that has waited longest has been waiting, as of the last full walk. */
  get oldestDueAgeMs(): number {
    return this.#oldestDueMs
  }

  start(): void {
    this.#loop ??= this.#run()
  }

  /** Ends after the round under way. Idempotent. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#loop
  }

  /** One round. Rejects when Postgres cannot be reached. */
  async tick(): Promise<Round> {
    const { jobs, state, settings } = this.#parts
    // A broker that is away gets nothing: what is due stays due.
    if (jobs.isAway) return { claimed: 0, waiting: 0, isComplete: true }
    const { found, isComplete } = await this.#findDue()
    if (found.length === 0) return { claimed: 0, waiting: 0, isComplete }
    const due = await this.#endHopeless(found)

    const places = due.map(placeOf)
    const granted = await state.takePlaces(places, {
      expiresInMs: settings.leaseMs,
      yieldToBacklog: false,
    })
    const toClaim = due.filter((_, i) => granted[i] === true)
    const claimed = await this.#claimAndPublish(toClaim)
    this.#markBacklogs(due, granted)
    return { claimed, waiting: due.length - toClaim.length, isComplete }
  }

  async #findDue(): Promise<{ found: DueDelivery[]; isComplete: boolean }> {
    const { store, settings } = this.#parts
    const { maxAgeMs } = settings.policy
    const ended =
      performance.now() < this.#leasesRestUntil
        ? []
        : await findEndedLeases(store, { limit: ENDED_LEASES, graceMs: 0, maxAgeMs })
    const walk = await findWaiting(store, {
      from: this.#cursor,
      pairs: PAIRS,
      perPair: PER_PAIR,
      maxAgeMs,
    })
    if (this.#leasesRestUntil === Infinity) {
      const { graceAfterOutageMs = DEFAULT_GRACE_AFTER_OUTAGE_MS } = this.#parts
      this.#leasesRestUntil = performance.now() + graceAfterOutageMs
    }
    this.#cursor = walk.next
    const isComplete = walk.next === WALK_START
    for (const { waitedMs } of walk.deliveries) {
      this.#oldestDueThisWalkMs = Math.max(this.#oldestDueThisWalkMs, waitedMs)
    }
    if (isComplete) {
      this.#oldestDueMs = this.#oldestDueThisWalkMs
      this.#oldestDueThisWalkMs = 0
    }
    return { found: [...ended, ...walk.deliveries], isComplete }
  }

  /** Ends what is too old, and what was lost with its process too often; answers with the others. */
  async #endHopeless(due: readonly DueDelivery[]): Promise<DueDelivery[]> {
    const { store, log } = this.#parts
    const expired = due.filter((delivery) => delivery.isExpired)
    const lost = due.filter((delivery) => !delivery.isExpired && isLostTooOften(delivery))
    await giveUp(store, expired, 'expired')
    await giveUp(store, lost, 'lost_too_often')
    for (const { eventUid, destinationUid, tenantUid } of lost) {
      log.error('delivery given up: its jobs end without an outcome, again and again', {
        eventUid,
        destinationUid,
        tenantUid,
      })
    }
    return due.filter((delivery) => !delivery.isExpired && !isLostTooOften(delivery))
  }

  /** @returns how many jobs were published */
  async #claimAndPublish(due: readonly DueDelivery[]): Promise<number> {
    const { store, state, settings } = this.#parts
    let published = 0
    let at = 0
    try {
      while (at < due.length) {
        const batch = due.slice(at, at + CLAIM_BATCH)
        const claimed = await claimDeliveries(store, batch, settings.leaseMs)
        at += batch.length
        if (claimed.length < batch.length) {
          // Somebody moved them on since they were read: their places were taken for nothing.
          const keys = new Set(claimed.map(keyOf))
          await state.releasePlaces(batch.filter((d) => !keys.has(keyOf(d))).map(placeOf))
        }
        published += await this.#publish(claimed)
      }
    } catch (error) {
      // No job of these is out. Kept, the places would refuse their deliveries until a lease has passed.
      await state.releasePlaces(due.slice(at).map(placeOf))
      throw error
    }
    return published
  }

  async #publish(claimed: readonly Job[]): Promise<number> {
    const { store, jobs, state, log } = this.#parts
    const fates = await jobs.publish(claimed)
    const refused = claimed.filter((_, i) => fates[i] === 'refused')
    if (refused.length === 0) return claimed.length
    log.warn('jobs were refused by the broker; their deliveries are due again', {
      count: refused.length,
    })
    await state.releasePlaces(refused.map(placeOfJob))
    await releaseJobs(store, refused)
    return claimed.length - refused.length
  }

  /**
   * A tenant that has more fresh jobs due than it has places for keeps its publishes from taking
   * places, until its backlog is gone. Retries have places of their own, which no publish takes.
   */
  #markBacklogs(due: readonly DueDelivery[], granted: readonly boolean[]): void {
    const { state } = this.#parts
    const waiting = new Set<string>()
    due.forEach(({ queue, tenantUid }, i) => {
      if (queue === 'fresh' && granted[i] !== true) waiting.add(tenantUid)
    })
    for (const tenantUid of new Set(due.map((delivery) => delivery.tenantUid))) {
      if (waiting.has(tenantUid)) {
        this.#marked.add(tenantUid)
        void state.markBacklog(tenantUid, 'fresh', BACKLOG_MARK_MS) // Never rejects; a hint.
      } else if (this.#marked.delete(tenantUid)) {
        void state.clearBacklog(tenantUid, 'fresh') // Never rejects; a hint.
      }
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      const pauseMs = await this.#round()
      if (pauseMs > 0) await pause(pauseMs, signal)
    }
  }

  /** @returns how long to pause before the next round, in milliseconds */
  async #round(): Promise<number> {
    try {
      const round = await this.tick()
      if (round.claimed > 0 || !round.isComplete) return 0
      return round.waiting > 0 ? NO_PLACES_PAUSE_MS : IDLE_PAUSE_MS
    } catch (error) {
      if (reactionTo(error) === 'away') this.#leasesRestUntil = Infinity
      this.#parts.log.warn('a round of the scheduler failed', { error })
      return ERROR_PAUSE_MS
    }
  }
}

/** Its next claim would be one loss more. */
function isLostTooOften({ leaseEnded, losses }: DueDelivery): boolean {
  return leaseEnded && losses + 1 >= MAX_LOSSES
}

/** The place of the job that the claim will make. */
function placeOf(due: DueDelivery): Place {
  return {
    queue: due.queue,
    tenantUid: due.tenantUid,
    destinationUid: due.destinationUid,
    eventUid: due.eventUid,
    dispatch: due.dispatch + 1,
    bytes: due.jobBytes,
  }
}

function keyOf(delivery: { readonly eventUid: string; readonly destinationUid: string }): string {
  return delivery.eventUid + delivery.destinationUid
}

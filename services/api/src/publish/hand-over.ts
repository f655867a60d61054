import type { JobQueue } from '@postrider/broker'
import type { Job, Log } from '@postrider/common'
import type { Place, SharedState } from '@postrider/state'
import { releaseJobs, type Store } from '@postrider/store'

/** A job whose delivery has a place. */
export interface PlacedJob {
  readonly job: Job
  readonly place: Place
}

export interface HandOverParts {
  readonly store: Store
  readonly jobs: JobQueue
  readonly state: SharedState
  readonly log: Log
}

/** What may be on its way to the queue, before further deliveries wait in Postgres instead. */
const MAX_PENDING_JOBS = 20_000
const MAX_PENDING_BYTES = 64 * 1024 * 1024

/**
 * Hands the first jobs of committed deliveries to the queue, behind the backs of the publishers, who
 * have their answers already.
 *
 * Whatever happens here loses nothing: a job that is refused for certain makes its delivery due now;
 * for one whose fate is unknown nothing is done, its lease will tell.
 */
export class HandOver {
  readonly #parts: HandOverParts
  readonly #underWay = new Set<Promise<void>>()
  #pendingJobs = 0
  #pendingBytes = 0

  constructor(parts: HandOverParts) {
    this.#parts = parts
  }

  /** False: the queue is away or slow, do not take places. */
  get isOpen(): boolean {
    return (
      !this.#parts.jobs.isAway &&
      this.#pendingJobs < MAX_PENDING_JOBS &&
      this.#pendingBytes < MAX_PENDING_BYTES
    )
  }

  send(placed: readonly PlacedJob[]): void {
    if (placed.length === 0) return
    const underWay = this.#send(placed).finally(() => this.#underWay.delete(underWay))
    this.#underWay.add(underWay)
  }

  /** Gives places back that no job will use. */
  release(places: readonly Place[]): void {
    if (places.length === 0) return
    const underWay = this.#release(places).finally(() => this.#underWay.delete(underWay))
    this.#underWay.add(underWay)
  }

  /** Resolves when all that was sent has its fate. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  async #send(placed: readonly PlacedJob[]): Promise<void> {
    const bytes = placed.reduce((sum, { place }) => sum + place.bytes, 0)
    this.#pendingJobs += placed.length
    this.#pendingBytes += bytes
    try {
      const fates = await this.#parts.jobs.publish(placed.map(({ job }) => job))
      const refused = placed.filter((_, index) => fates[index] === 'refused')
      if (refused.length === 0) return
      this.#parts.log.warn('jobs refused by the queue', { count: refused.length })
      await releaseJobs(
        this.#parts.store,
        refused.map(({ job }) => job),
      )
      await this.#release(refused.map(({ place }) => place))
    } catch (error) {
      // The leases of these deliveries end, and the scheduler makes new jobs of them.
      this.#parts.log.warn('first jobs are left to their leases', { count: placed.length, error })
    } finally {
      this.#pendingJobs -= placed.length
      this.#pendingBytes -= bytes
    }
  }

  async #release(places: readonly Place[]): Promise<void> {
    try {
      await this.#parts.state.releasePlaces(places)
    } catch (error) {
      // Places end by themselves when the lease would.
      this.#parts.log.warn('places are left to their expiry', { count: places.length, error })
    }
  }
}

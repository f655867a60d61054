import type { QueueName } from '@postrider/common'

/**
 * A delivery's right to have its job in the broker. All of it together is its identity: it is given
 * back by naming the same.
 */
export interface Place {
  readonly queue: QueueName
  readonly tenantUid: string
  readonly destinationUid: string
  readonly eventUid: string
  readonly dispatch: number
  /** What the job weighs in the broker. */
  readonly bytes: number
}

/** The bounds of the runway (ARCHITECTURE.md, "Scheduler, runway, maintenance"). */
export interface RunwayLimits {
  /** Places per tenant and queue. A quarter of it is the bound per destination. */
  readonly perTenant: number
  /** Jobs over all tenants and queues. A tenant with fewer than 50 places may always take one. */
  readonly totalJobs: number
  readonly totalBytes: number
}

export interface TakeOptions {
  /** After this the place is forgotten by itself: the lease of the job that it is for. */
  readonly expiresInMs: number
  /**
   * True for a publish: a tenant that is marked as having a backlog in that queue gets nothing (else
   * the newest would starve the oldest), and one that is refused a place for want of room is marked
   * from that place on, for `expiresInMs`.
   */
  readonly yieldToBacklog: boolean
}

/** A change that other processes should hear of soon; a hint, never the only way to learn of it. */
export interface Announcement {
  readonly destinationUid: string
}

/**
 * Short-lived state that processes share. Everything in it is a hint that may be flushed at any time:
 * Postgres decides, and every bound that it keeps heals by itself within a lease. Nothing here rejects
 * or hangs because a server is away.
 */
export interface SharedState {
  /**
   * The shared server cannot be used now: bounds are kept in this process alone, from zero, and what it
   * held meanwhile is forgotten when the server is back.
   */
  readonly isAway: boolean

  /**
   * Takes places, in one atomic command (for each 1 000) that first forgets those whose lease has ended.
   * Answers in the order asked: true = taken. A place that is already taken by its delivery and dispatch
   * is not given again: another process is at it.
   */
  takePlaces(places: readonly Place[], options: TakeOptions): Promise<readonly boolean[]>
  /** Gives places back; those that are not held are passed over. */
  releasePlaces(places: readonly Place[]): Promise<void>

  /** The tenant has due deliveries that wait in Postgres for places of this queue. */
  markBacklog(tenantUid: string, queue: QueueName, ttlMs: number): Promise<void>
  /** The tenant's backlog is gone: its publishes may take places again. */
  clearBacklog(tenantUid: string, queue: QueueName): Promise<void>

  /**
   * The destination defers jobs: give it at most `places` places, over both queues together, for
   * `ttlMs`. Takes none away that it has; the latest word counts.
   */
  narrowDestination(destinationUid: string, places: number, ttlMs: number): Promise<void>

  /** Tells the other processes, and this one, of changes. Best effort. */
  announce(announcements: readonly Announcement[]): Promise<void>
  /** Hears each announcement once, until the returned function is called. */
  onAnnouncement(listener: (announcement: Announcement) => void): () => void

  /** Closes the connections. Releases no places: the jobs that they are for are out. Idempotent. */
  stop(): Promise<void>
}

/** Places that a tenant may always take, whatever the others hold. */
export const TENANT_MINIMUM_PLACES = 50

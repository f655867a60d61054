/**
 * The words of a delivery's life (ARCHITECTURE.md, "A delivery's life").
 *
 * A delivery is one event on its way to one destination; its key is the pair of uids, plus the day
 * partition's `receivedAt`, which travels along as opaque text in Postgres' own form.
 */

/** What a delivery is known to be. `pending`: no attempt yet. `failed`: the last attempt failed. */
export type DeliveryStatus = 'pending' | 'success' | 'failed' | 'skipped'

/** An event's own status, computed from its deliveries whenever it is read. */
export type EventStatus = DeliveryStatus | 'unmatched'

/** Why a delivery is skipped, or failed for good. A closed list, documented in docs/errors.md. */
export type DeliveryReason =
  | 'destination_disabled'
  | 'destination_deleted'
  | 'tenant_deleted'
  | 'retries_exhausted'
  | 'not_eligible_for_retry'
  | 'expired'
  | 'lost_too_often'
  | 'expunged'

/** The identity of a delivery. */
export interface DeliveryKey {
  readonly eventUid: string
  readonly destinationUid: string
  /** Postgres' text of `received_at`; never parsed, only handed back to Postgres. */
  readonly receivedAt: string
}

/** A delivery and the dispatch that acts on it: what every write to a delivery names (rule 1). */
export interface DispatchKey extends DeliveryKey {
  readonly dispatch: number
}

/** The two queues: retries never delay fresh events. */
export type QueueName = 'fresh' | 'retry'

import { compileFilter, jobBytes, matchesTopic } from '@postrider/common'
import { findEventKey, type EventKey } from './reads/event-reads.ts'
import type { Store } from './store.ts'

export interface ManualRetry {
  readonly eventId: string
  readonly destinationId: string
  /** Null: whichever tenant has the event, if only one has. */
  readonly tenantId: string | null
}

/** The part of a subscription that an event does not meet. */
export type Mismatch = 'topic' | 'filter'

export type ManualRetryAnswer =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'event_not_found' | 'event_ambiguous' }
  | { readonly kind: 'destination_not_found' | 'destination_disabled' }
  | { readonly kind: 'mismatch'; readonly of: Mismatch }

/**
 * Asks for an attempt now, whatever the state of the delivery: it is due at once, and the scheduler
 * makes the job. When a job is out already nothing changes, for it is the attempt that was asked for.
 * A delivery that never was is opened, if the event matches the destination as it is now.
 *
 * The schedule that the attempt interrupts is kept (`resume_at`), and goes on after it.
 *
 * Rule 1 without naming a dispatch: each write decides by the row itself, under its lock, so that there
 * is nothing it could be stale about. An older job that is still about finds the row not leased, which
 * makes it stale.
 */
export async function retryByHand(store: Store, retry: ManualRetry): Promise<ManualRetryAnswer> {
  const { eventId: id, tenantId } = retry
  const key = await findEventKey(store.db, { id, tenantId })
  if (key === null) return { kind: 'event_not_found' }
  if (key === 'ambiguous') return { kind: 'event_ambiguous' }
  const destination = await findDestination(store, key, retry.destinationId)
  if (destination === null) return { kind: 'destination_not_found' }
  if (destination.isDisabled) return { kind: 'destination_disabled' }
  if (await makeDue(store, key, destination.uid)) return { kind: 'accepted' }
  const event = await readEvent(store, key)
  if (event === null) return { kind: 'event_not_found' }
  const of = findMismatch(event, destination)
  if (of !== null) return { kind: 'mismatch', of }
  await open(store, key, destination.uid, event.data.length)
  return { kind: 'accepted' }
}

interface RetriedEvent {
  readonly id: string
  readonly topic: string
  readonly time: Date
  readonly metadata: Readonly<Record<string, string>>
  readonly data: Buffer
}

interface RetriedDestination {
  readonly uid: string
  readonly topics: readonly string[]
  readonly filter: Readonly<Record<string, unknown>> | null
  readonly isDisabled: boolean
}

/** The living destination of this id that the event's tenant has. */
async function findDestination(
  store: Store,
  event: EventKey,
  id: string,
): Promise<RetriedDestination | null> {
  const { rows } = await store.pools.query.query<RetriedDestination>(
    `select d.uid, d.topics, d.filter, d.disabled_at is not null as "isDisabled"
     from destinations d
     where d.id = $3 and d.deleted_at is null and d.tenant_uid = (
       select e.tenant_uid from events e where e.uid = $1 and e.received_at = $2)`,
    [event.uid, event.received_at, id],
  )
  return rows[0] ?? null
}

/** Makes a delivery due, unless its job is out; answers whether there is such a delivery. */
async function makeDue(store: Store, event: EventKey, destinationUid: string): Promise<boolean> {
  const key = [event.uid, destinationUid, event.received_at]
  const made = await store.pools.query.query(MAKE_DUE, key)
  if (made.rowCount === 1) return true
  const { rowCount } = await store.pools.query.query(`select from deliveries where ${BY_KEY}`, key)
  return rowCount === 1
}

const BY_KEY = 'event_uid = $1 and destination_uid = $2 and received_at = $3'

// A second request before the job was made keeps what the first one interrupted, and a delivery that
// waits for its job already keeps its turn.
const MAKE_DUE = `
  update deliveries
  set due_at = date_trunc('milliseconds', now()), leased = false, manual = true,
    resume_at = case when due_at is null then null when manual then resume_at else due_at end,
    status = case status when 'skipped' then 'pending' else status end, reason = null, losses = 0,
    open_since = now(), waiting_since = case when due_at <= now() then waiting_since else now() end
  where ${BY_KEY} and (not leased or due_at <= now())`

async function readEvent(store: Store, key: EventKey): Promise<RetriedEvent | null> {
  const { rows } = await store.pools.query.query<RetriedEvent>(
    'select id, topic, time, metadata, data from events where uid = $1 and received_at = $2',
    [key.uid, key.received_at],
  )
  return rows[0] ?? null
}

function findMismatch(event: RetriedEvent, destination: RetriedDestination): Mismatch | null {
  if (!matchesTopic(destination.topics, event.topic)) return 'topic'
  if (destination.filter === null) return null
  const view = {
    ...event,
    time: event.time.toISOString(),
    data: JSON.parse(event.data.toString('utf8')) as unknown,
  }
  return compileFilter(destination.filter)(view) ? null : 'filter'
}

/** Of two requests at once one opens the delivery, and that is what the other one wanted, too. */
async function open(
  store: Store,
  event: EventKey,
  destinationUid: string,
  dataBytes: number,
): Promise<void> {
  await store.pools.query.query(
    `insert into deliveries (
       received_at, event_uid, destination_uid, tenant_uid, event_time, status,
       due_at, leased, dispatch, waiting_since, open_since, manual, eligible_for_retry, job_bytes)
     select received_at, uid, $3, tenant_uid, time, 'pending',
       date_trunc('milliseconds', now()), false, 0, now(), now(), true, eligible_for_retry, $4
     from events where uid = $1 and received_at = $2
     on conflict do nothing`,
    [event.uid, event.received_at, destinationUid, jobBytes(dataBytes)],
  )
}

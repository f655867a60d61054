import { type DispatchKey, INLINE_DATA_LIMIT_BYTES, type Job } from '@postrider/common'
import { RAW_TYPES } from '../pools.ts'
import type { Store } from '../store.ts'
import { dispatchKeyParameters, KEYS, sameDelivery } from './keys.ts'

/** Doublings of the lease stop here: 2 minutes become at most about 2 hours. */
const MAX_LEASE_DOUBLINGS = 6

/**
 * Turns due deliveries into jobs: raises the dispatch, starts the lease, and answers with the jobs to
 * publish once this has committed.
 *
 * Guarantee: of any number of schedulers exactly one gets a delivery (`SKIP LOCKED`, and the dispatch
 * named must still be the row's); the others get nothing and do not wait. Jobs that come from an ended
 * lease are marked `verify`, counted as lost, and have twice the lease of their last one.
 *
 * @returns the jobs, in the order of `keys`
 */
export async function claimDeliveries(
  store: Store,
  keys: readonly DispatchKey[],
  leaseMs: number,
): Promise<Job[]> {
  if (keys.length === 0) return []
  const { rows } = await store.pools.work.query<ClaimedRow>({
    name: 'claim-deliveries',
    text: CLAIM,
    values: [...dispatchKeyParameters(keys), leaseMs],
    types: RAW_TYPES,
  })
  return rows.toSorted((a, b) => a.i - b.i).map(toJob)
}

interface ClaimedRow {
  readonly i: number
  readonly event_uid: string
  readonly destination_uid: string
  readonly received_at: string
  readonly tenant_uid: string
  readonly dispatch: number
  readonly lease_end_ms: number
  readonly attempts: number
  readonly manual: boolean
  readonly verify: boolean
  readonly id: string
  readonly topic: string
  readonly time_ms: number
  readonly metadata: Record<string, string>
  readonly data: Buffer | null
}

function toJob(row: ClaimedRow): Job {
  return {
    queue: row.attempts === 0 ? 'fresh' : 'retry',
    eventUid: row.event_uid,
    destinationUid: row.destination_uid,
    receivedAt: row.received_at,
    tenantUid: row.tenant_uid,
    dispatch: row.dispatch,
    leaseEndMs: row.lease_end_ms,
    verify: row.verify,
    manual: row.manual,
    eventId: row.id,
    topic: row.topic,
    timeMs: row.time_ms,
    metadata: row.metadata,
    data: row.data,
  }
}

const CLAIM = `
  with locked as (
    select d.event_uid, d.destination_uid, d.received_at, d.leased as lease_ended, k.i
    from ${KEYS}
    join deliveries d on ${sameDelivery('d', 'k')} and d.dispatch = k.dispatch and d.due_at <= now()
    for update of d skip locked
  ), claimed as (
    update deliveries d
    set dispatch = d.dispatch + 1,
        leased = true,
        losses = d.losses + l.lease_ended::int,
        due_at = date_trunc('milliseconds', now()) + $5::float8 * interval '1 millisecond'
          * (1 << least(d.losses + l.lease_ended::int, ${MAX_LEASE_DOUBLINGS}))
    from locked l where ${sameDelivery('d', 'l')}
    returning l.i, d.event_uid, d.destination_uid, d.received_at, d.tenant_uid, d.dispatch, d.due_at,
      d.attempts, d.manual, l.lease_ended
  )
  select c.i::int, c.event_uid, c.destination_uid, c.received_at::text, c.tenant_uid, c.dispatch,
    (extract(epoch from c.due_at) * 1000)::float8 as lease_end_ms, c.attempts, c.manual,
    c.lease_ended as verify, e.id, e.topic, (extract(epoch from e.time) * 1000)::float8 as time_ms,
    e.metadata, case when octet_length(e.data) <= ${INLINE_DATA_LIMIT_BYTES} then e.data end as data
  from claimed c
  join events e on e.uid = c.event_uid and e.received_at = c.received_at`

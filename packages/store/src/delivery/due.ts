import type { DispatchKey, QueueName } from '@postrider/common'
import { RAW_TYPES } from '../pools.ts'
import type { Store } from '../store.ts'

/** A delivery that is due, as the scheduler sees it before it has a place for it. */
export interface DueDelivery extends DispatchKey {
  readonly tenantUid: string
  readonly queue: QueueName
  readonly jobBytes: number
  readonly losses: number
  /** It is older than any delivery may become. */
  readonly isExpired: boolean
  /** Found through an ended lease: an older job of it may still be about. */
  readonly leaseEnded: boolean
  /** How long it has been waiting for a job. */
  readonly waitedMs: number
}

/** Where the walk over tenants and destinations goes on. */
export interface WalkCursor {
  readonly tenantUid: string
  readonly destinationUid: string
}

/** Before the first pair. */
export const WALK_START: WalkCursor = {
  tenantUid: '00000000-0000-0000-0000-000000000000',
  destinationUid: '00000000-0000-0000-0000-000000000000',
}

export interface DueRound {
  readonly deliveries: readonly DueDelivery[]
  /** Where the next walk starts; `WALK_START` when this one came to the end. */
  readonly next: WalkCursor
}

export interface WalkOptions {
  readonly from: WalkCursor
  /** Pairs of tenant and destination that one statement visits. */
  readonly pairs: number
  /** Deliveries of each pair. */
  readonly perPair: number
  readonly maxAgeMs: number
}

/**
 * Deliveries that wait for a job: a loose index scan steps from one (tenant, destination) pair that has
 * waiting rows to the next and takes the first few due ones of each, oldest first. However large one
 * pair's backlog is, it costs the others nothing.
 *
 * Reads only; what it finds is claimed by `claimDeliveries`, which checks again.
 *
 * @returns the deliveries in turns: the first of every pair, then the second of every pair, …
 */
export async function findWaiting(store: Store, options: WalkOptions): Promise<DueRound> {
  const { rows } = await store.pools.work.query<WaitingRow>({
    name: 'find-waiting',
    text: FIND_WAITING,
    values: [
      options.from.tenantUid,
      options.from.destinationUid,
      options.pairs,
      options.perPair,
      options.maxAgeMs,
    ],
    types: RAW_TYPES,
  })
  const last = rows.at(-1)
  const pairs = new Set(rows.map((row) => row.pair_destination_uid)).size
  return {
    deliveries: rows
      .filter((row) => row.event_uid !== null)
      .toSorted((a, b) => a.turn - b.turn)
      .map((row) => toDue(row, false)),
    next:
      last === undefined || pairs < options.pairs
        ? WALK_START
        : { tenantUid: last.pair_tenant_uid, destinationUid: last.pair_destination_uid },
  }
}

interface DueRow {
  readonly tenant_uid: string
  readonly event_uid: string
  readonly destination_uid: string
  readonly received_at: string
  readonly dispatch: number
  readonly attempts: number
  readonly job_bytes: number
  readonly losses: number
  readonly is_expired: boolean
  readonly waited_ms: number
}

interface WaitingRow extends DueRow {
  readonly pair_tenant_uid: string
  readonly pair_destination_uid: string
  readonly turn: number
}

function toDue(row: DueRow, leaseEnded: boolean): DueDelivery {
  return {
    tenantUid: row.tenant_uid,
    eventUid: row.event_uid,
    destinationUid: row.destination_uid,
    receivedAt: row.received_at,
    dispatch: row.dispatch,
    queue: row.attempts === 0 ? 'fresh' : 'retry',
    jobBytes: row.job_bytes,
    losses: row.losses,
    isExpired: row.is_expired,
    leaseEnded,
    waitedMs: row.waited_ms,
  }
}

const WAITING = 'due_at is not null and not leased'

const FIND_WAITING = `
  with recursive pairs as (
    (select tenant_uid, destination_uid from deliveries
     where ${WAITING} and (tenant_uid, destination_uid) > ($1::uuid, $2::uuid)
     order by tenant_uid, destination_uid limit 1)
    union all
    select next.tenant_uid, next.destination_uid
    from pairs
    cross join lateral (
      select d.tenant_uid, d.destination_uid from deliveries d
      where ${WAITING}
        and (d.tenant_uid, d.destination_uid) > (pairs.tenant_uid, pairs.destination_uid)
      order by d.tenant_uid, d.destination_uid limit 1
    ) next
  )
  select pair.tenant_uid as pair_tenant_uid, pair.destination_uid as pair_destination_uid,
    pair.tenant_uid, due.event_uid, due.destination_uid, due.received_at::text, due.dispatch,
    due.attempts, due.job_bytes, due.losses,
    due.open_since < now() - $5::float8 * interval '1 millisecond' as is_expired,
    (extract(epoch from now() - due.waiting_since) * 1000)::float8 as waited_ms,
    coalesce(due.turn, 0)::int as turn
  from (select * from pairs limit $3) pair
  left join lateral (
    select d.*, row_number() over () as turn from (
      select * from deliveries
      where ${WAITING}
        and tenant_uid = pair.tenant_uid and destination_uid = pair.destination_uid
        and waiting_since <= now() and due_at <= now()
      order by waiting_since limit $4
    ) d
  ) due on true`

export interface EndedLeaseOptions {
  readonly limit: number
  /** Leases that ended less than this ago are left alone. */
  readonly graceMs: number
  readonly maxAgeMs: number
}

/** Deliveries whose job ended without an outcome: the lease is over, oldest first. Reads only. */
export async function findEndedLeases(
  store: Store,
  options: EndedLeaseOptions,
): Promise<DueDelivery[]> {
  const { rows } = await store.pools.work.query<DueRow>({
    name: 'find-ended-leases',
    text: FIND_ENDED_LEASES,
    values: [options.limit, options.graceMs, options.maxAgeMs],
    types: RAW_TYPES,
  })
  return rows.map((row) => toDue(row, true))
}

const FIND_ENDED_LEASES = `
  select tenant_uid, event_uid, destination_uid, received_at::text, dispatch, attempts, job_bytes,
    losses,
    open_since < now() - $3::float8 * interval '1 millisecond' as is_expired,
    (extract(epoch from now() - waiting_since) * 1000)::float8 as waited_ms
  from deliveries
  where leased and due_at <= now() - $2::float8 * interval '1 millisecond'
  order by due_at limit $1`

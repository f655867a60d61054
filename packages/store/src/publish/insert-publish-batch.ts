import { jobBytes, type StringMap } from '@postrider/common'
import { packBytes, plainArray, textArray } from '../arrays.ts'
import { RAW_TYPES } from '../pools.ts'
import type { Store } from '../store.ts'

/** An event that a publish brings, with a delivery for each destination that it matched. */
export interface NewEvent {
  readonly uid: string
  readonly tenantUid: string
  readonly id: string
  /**
   * SHA-256 over what makes two publishes of one id the same, when a caller chose the id. Null: the id
   * was made here, so that nobody else can come with it and no key is claimed.
   */
  readonly contentHash: Buffer | null
  /** Empty: none was given. */
  readonly topic: string
  /** Unix milliseconds. */
  readonly timeMs: number
  readonly metadata: StringMap
  /** The bytes as published. */
  readonly data: Buffer
  readonly isEligibleForRetry: boolean
  readonly deliveries: readonly NewDelivery[]
}

export interface NewDelivery {
  readonly destinationUid: string
  readonly destinationId: string
  /**
   * - `placed`: it has a place, its first job is published after the commit; leased, dispatch 1.
   * - `waiting`: due now, for the scheduler to make a job of.
   * - `disabled`: its destination is; a skipped delivery, so that nothing vanishes.
   */
  readonly intake: 'placed' | 'waiting' | 'disabled'
}

export interface InsertOptions {
  /** How long a caller's id stays claimed. */
  readonly windowMs: number
  /** The lease of the deliveries with a place. */
  readonly leaseMs: number
}

/** What was committed. */
export interface InsertedBatch {
  /** Of all events of the batch; Postgres' text, to be handed back as it is. */
  readonly receivedAt: string
  /** Of all deliveries with a place; Unix milliseconds by Postgres' clock. */
  readonly leaseEndMs: number
  /** Events left out because another one has their id: `readPublished` tells which. */
  readonly taken: ReadonlySet<string>
  /** Events left out because their tenant was deleted meanwhile. */
  readonly orphaned: ReadonlySet<string>
}

/**
 * Commits a publish batch in one statement (ARCHITECTURE.md, "Publish"): claims the ids that callers chose,
 * then inserts the events that won theirs and the deliveries of those.
 *
 * What it guarantees:
 * - An event and its deliveries are committed together or not at all, and are durable when it resolves.
 * - Of all publishes of one id within the window, in any number of processes, one inserts its event.
 *   The others wait for its commit and find themselves in `taken`. An id whose window is over, or
 *   whose owner rolled back, is free.
 * - Keys are claimed in one order everywhere, so that batches with the same ids never deadlock.
 * - Nothing is inserted for a tenant that is deleted when the statement begins. (A deletion that commits
 *   while it runs leaves open deliveries behind; deliverers find the tenant deleted and skip them.)
 *
 * @param events - no two with the same tenant and caller's id
 * @throws When Postgres refuses any of the events, and then none is inserted
 */
export async function insertPublishBatch(
  store: Store,
  events: readonly NewEvent[],
  options: InsertOptions,
): Promise<InsertedBatch> {
  const hashes = packBytes(events.map((event) => event.contentHash))
  const data = packBytes(events.map((event) => event.data))
  const deliveries = deliveryColumns(events)
  const { rows } = await store.pools.publish.query<InsertedRow>({
    name: 'insert-publish-batch',
    text: INSERT_BATCH,
    types: RAW_TYPES,
    values: [
      plainArray([...new Set(events.map((event) => event.tenantUid))]),
      plainArray(events.map((event) => event.uid)),
      plainArray(events.map((event) => event.tenantUid)),
      textArray(events.map((event) => event.id)),
      hashes.starts,
      hashes.lengths,
      hashes.bytes,
      textArray(events.map((event) => event.topic)),
      plainArray(events.map((event) => new Date(event.timeMs).toISOString())),
      textArray(events.map((event) => JSON.stringify(event.metadata))),
      data.starts,
      data.lengths,
      data.bytes,
      plainArray(events.map((event) => event.isEligibleForRetry)),
      plainArray(events.map((event) => jobBytes(event.data.length))),
      textArray(events.map((event) => event.deliveries.map((d) => d.destinationId).join())),
      deliveries.events,
      deliveries.destinations,
      deliveries.intakes,
      options.windowMs,
      options.leaseMs,
    ],
  })
  const [row] = rows
  if (row === undefined) throw new Error('the publish statement answered nothing')
  return {
    receivedAt: row.received_at,
    leaseEndMs: row.lease_end_ms,
    taken: new Set(row.taken),
    orphaned: new Set(row.orphaned),
  }
}

interface InsertedRow {
  readonly received_at: string
  readonly lease_end_ms: number
  readonly taken: readonly string[]
  readonly orphaned: readonly string[]
}

/** The deliveries of all events as columns; each names its event by its 1-based place in the batch. */
function deliveryColumns(events: readonly NewEvent[]): {
  events: string
  destinations: string
  intakes: string
} {
  const numbers: number[] = []
  const destinations: string[] = []
  const intakes: string[] = []
  for (const [index, event] of events.entries()) {
    for (const delivery of event.deliveries) {
      numbers.push(index + 1)
      destinations.push(delivery.destinationUid)
      intakes.push(delivery.intake)
    }
  }
  return {
    events: plainArray(numbers),
    destinations: plainArray(destinations),
    intakes: plainArray(intakes),
  }
}

/**
 * Rows of one batch are tied together without joins, which would compare each with each (the plan
 * cannot know how many there are): deliveries read their event's columns by subscript, which takes
 * constant time in arrays of fixed-size elements, and `(… in (select …)) is true` stays a lookup in a
 * hash table where a bare `in` would be turned into a join.
 *
 * `received_at` is one moment for the batch, and every first due time and lease counts from it.
 */
const INSERT_BATCH = `
  with moment as materialized (
    select
      date_trunc('milliseconds', now()) as received_at,
      date_trunc('milliseconds', now()) + $20::bigint * interval '1 millisecond' as expires_at,
      date_trunc('milliseconds', now()) + $21::bigint * interval '1 millisecond' as lease_end
  ), alive as materialized (
    select uid from tenants where uid = any($1::uuid[]) and deleted_at is null
  ), input as materialized (
    select
      uid, tenant_uid, id, topic, time, metadata, is_eligible,
      (tenant_uid in (select uid from alive)) is true as is_alive,
      substring($7::bytea from hash_start for hash_length) as content_hash,
      substring($13::bytea from data_start for data_length) as data,
      string_to_array(matched, ',') as matched_destination_ids
    from unnest(
      $2::uuid[], $3::uuid[], $4::text[], $5::int[], $6::int[], $8::text[], $9::timestamptz[],
      $10::jsonb[], $11::int[], $12::int[], $14::boolean[], $16::text[]
    ) as i (
      uid, tenant_uid, id, hash_start, hash_length, topic, time,
      metadata, data_start, data_length, is_eligible, matched
    )
  ), claimed as (
    insert into publish_keys as held
      (tenant_uid, event_id, event_uid, received_at, content_hash, expires_at)
    select tenant_uid, id, uid, received_at, content_hash, expires_at
    from input cross join moment
    where is_alive and content_hash is not null
    order by tenant_uid, id
    on conflict (tenant_uid, event_id) do update set
      event_uid = excluded.event_uid,
      received_at = excluded.received_at,
      content_hash = excluded.content_hash,
      expires_at = excluded.expires_at
    where held.expires_at <= now()
    returning event_uid
  ), inserted as (
    insert into events
      (received_at, uid, tenant_uid, id, topic, time, metadata, data, eligible_for_retry,
       matched_destination_ids)
    select
      received_at, uid, tenant_uid, id, topic, time, metadata, data, is_eligible,
      matched_destination_ids
    from input cross join moment
    where is_alive
      and (content_hash is null or (uid in (select event_uid from claimed)) is true)
    returning uid
  ), opened as (
    insert into deliveries
      (received_at, event_uid, destination_uid, tenant_uid, event_time, status, reason, due_at,
       leased, dispatch, waiting_since, open_since, eligible_for_retry, job_bytes)
    select
      received_at, ($2::uuid[])[event], destination_uid, ($3::uuid[])[event],
      ($9::timestamptz[])[event],
      case intake when 'disabled' then 'skipped' else 'pending' end,
      case intake when 'disabled' then 'destination_disabled' end,
      case intake when 'placed' then lease_end when 'waiting' then received_at end,
      intake = 'placed',
      case intake when 'placed' then 1 else 0 end,
      received_at, received_at, ($14::boolean[])[event], ($15::int[])[event]
    from unnest($17::int[], $18::uuid[], $19::text[]) as d (event, destination_uid, intake)
    cross join moment
    where (($2::uuid[])[event] in (select uid from inserted)) is true
  )
  select
    received_at::text,
    (extract(epoch from lease_end) * 1000)::bigint as lease_end_ms,
    to_json(array(
      select uid from input where is_alive and (uid in (select uid from inserted)) is not true
    )) as taken,
    to_json(array(select uid from input where not is_alive)) as orphaned
  from moment`

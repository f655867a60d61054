import { Client } from 'pg'

/**
 * What a database is filled with. The proportions are fixed: for each hundred events 120 deliveries and
 * about 150 attempts.
 */
export interface FillOptions {
  readonly events: number
}

/** Partitions that are filled, evenly: today's and those after it. */
const DAYS = 7
const TENANTS = 100
const DESTINATIONS = 5

/** Names of what is there, for queries. */
export const FILLED = {
  /** Has a fifth of all events. */
  tenantId: 't0',
  otherTenantIds: ['t1', 't2'],
  /** Of the tenant; has about a fifth of its events. */
  destinationId: 't0-d1',
  /** Every tenant has one of this id. */
  sharedDestinationId: 'main',
  /** One event in twenty. */
  topic: 'topic-3',
  /** One event in ten thousand. */
  rareTopic: 'rare',
  eventId: 'e777',
} as const

/** Where a page deep in a list begins: the middle of the third day. */
export function deepTime(): Date {
  return new Date(startOfDay(2).getTime() + DAY_MS / 2)
}

/** The start of one of the days, counted from today's. */
export function startOfDay(day: number): Date {
  return new Date(new Date().setUTCHours(0, 0, 0, 0) + day * DAY_MS)
}

const DAY_MS = 86_400_000

/**
 * Fills a database that has the schema and no rows, and takes statistics. Everything follows from the
 * number of an event (`i`), so two databases of different size have the same proportions everywhere.
 */
export async function fill(url: string, { events }: FillOptions): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('set synchronous_commit = off')
    await client.query(TENANTS_SQL)
    await client.query(DESTINATIONS_SQL)
    await client.query(STAGE_SQL, [events, startOfDay(0)])
    for (const sql of [EVENTS_SQL, DELIVERIES_SQL, ATTEMPTS_SQL]) await client.query(sql)
    await client.query('drop table filling')
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

const TENANTS_SQL = `
  insert into tenants (uid, id) select md5('t' || t)::uuid, 't' || t
  from generate_series(0, ${TENANTS - 1}) t`

const DESTINATIONS_SQL = `
  insert into destinations (uid, tenant_uid, id, type, topics, config, credentials)
  select md5('t' || t || '-d' || d)::uuid, md5('t' || t)::uuid,
    case d when 0 then 'main' else 't' || t || '-d' || d end, 'webhook', '{*}', '{}', ''
  from generate_series(0, ${TENANTS - 1}) t, generate_series(0, ${DESTINATIONS - 1}) d`

/**
 * The events by number: uids grow with time, as those of the service do; \`h\` stands for chance. A fifth
 * belongs to one tenant, the rest to all others.
 */
const STAGE_SQL = `
  create unlogged table filling as
  select i, h, time, case h % 5 when 0 then 0 else 1 + h / 5 % ${TENANTS - 1} end as t,
    (lpad(to_hex((extract(epoch from time) * 1000)::bigint), 12, '0')
      || '7' || left(md5('e' || i), 3) || '8' || right(md5('e' || i), 15))::uuid as uid
  from (
    select i, ('x' || left(md5('h' || i), 7))::bit(28)::int as h,
      date_trunc('milliseconds', $2::timestamptz + i * (interval '${DAYS} days' / $1::int)) as time
    from generate_series(0, $1::int - 1) i
  ) numbered`

const EVENTS_SQL = `
  insert into events (received_at, uid, tenant_uid, id, topic, time, metadata, data,
    eligible_for_retry, matched_destination_ids)
  select time, uid, md5('t' || t)::uuid, 'e' || i,
    case when i % 10000 = 3 then 'rare' else 'topic-' || h / 7 % 20 end, time, '{"source": "shop"}',
    convert_to('{"order":' || i || ',"note":"' || repeat('x', 200) || '"}', 'UTF8'), true,
    array['t' || t || '-d1']
  from filling`

/**
 * Each event but one in a hundred goes to a destination of its tenant, and 21 in a hundred to another
 * one, too. Of a thousand deliveries thirty have failed, thirty are skipped, one waits.
 */
const DELIVERIES_SQL = `
  insert into deliveries (received_at, event_uid, destination_uid, tenant_uid, event_time, status,
    due_at, leased, dispatch, waiting_since, open_since, attempts, eligible_for_retry, job_bytes)
  select time, uid, md5('t' || t || '-d' || (h / 11 + n) % ${DESTINATIONS})::uuid, md5('t' || t)::uuid,
    time, case
      when chance < 30 then 'failed' when chance < 60 then 'skipped' when chance = 60 then 'pending'
      else 'success'
    end, case chance when 60 then time + interval '30 days' end, false, 1, time, time, 1, true, 300
  from filling, generate_series(0, 1) n, lateral (select (h / 13 + n * 500) % 1000 as chance) c
  where case n when 0 then i % 100 <> 7 else i % 100 between 10 and 30 end`

/** The first attempts, and for every third delivery another; three in a hundred have failed. */
const ATTEMPTS_SQL = `
  insert into attempts (received_at, uid, event_uid, destination_uid, tenant_uid, number, dispatch,
    status, code, time, duration_ms, manual, response_head, response_body)
  select d.received_at,
    (left(replace(d.event_uid::text, '-', ''), 16)
      || '8' || left(md5(d.event_uid::text || d.destination_uid || n), 15))::uuid,
    d.event_uid, d.destination_uid, d.tenant_uid, n, n,
    case d.status when 'failed' then 'failed' else 'success' end,
    case d.status when 'failed' then '500' else '200' end,
    d.event_time + n * interval '150 milliseconds', 42, n > 1, '{"status": 200}', 'ok'
  from deliveries d, generate_series(1, 2) n
  where d.status in ('success', 'failed') and (n = 1 or get_byte(uuid_send(d.event_uid), 15) % 3 = 0)`

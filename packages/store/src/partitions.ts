import type { Pool, PoolClient } from 'pg'
import { inTransaction } from './transaction.ts'

/** The tables with one partition for each day of `received_at`. */
const DAILY_TABLES = ['events', 'deliveries', 'attempts'] as const

/** How far ahead partitions are made: time for a person to notice that nothing makes them any more. */
const DAYS_AHEAD = 7

/** Held while partitions are made or dropped, so that processes which start together take turns. */
const PARTITION_LOCK = 7_700_000_000_001n

/**
 * Makes the partitions for today and the `DAYS_AHEAD` days after it, where they are missing. Called
 * at every start, by maintenance, and by an insert that found none.
 *
 * A partition is built aside and then attached: creating it in place would lock the parent against
 * every publish, attaching lets them go on.
 *
 * @returns how many partitions were made
 */
export async function ensurePartitions(pool: Pool): Promise<number> {
  const missing = await pool.query<{ parent: string; day: string }>(MISSING)
  if (missing.rows.length === 0) return 0
  return await inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [PARTITION_LOCK])
    const stillMissing = await client.query<{ parent: string; day: string }>(MISSING)
    for (const { parent, day } of stillMissing.rows) await attachPartition(client, parent, day)
    return stillMissing.rows.length
  })
}

// Looks into pg_class itself: what `to_regclass` says within a transaction may be as old as its begin,
// and here that lies before the wait for the lock.
const MISSING = `
  select parent, to_char(day, 'YYYYMMDD') as day
  from unnest(array['${DAILY_TABLES.join("','")}']) as parent
  cross join generate_series(
    date_trunc('day', now() at time zone 'UTC'),
    date_trunc('day', now() at time zone 'UTC') + interval '${DAYS_AHEAD} days',
    interval '1 day'
  ) as day
  where not exists (
    select from pg_class made
    join pg_class given on given.relnamespace = made.relnamespace
    where given.oid = to_regclass(parent) and made.relname = parent || '_' || to_char(day, 'YYYYMMDD'))
  order by 2, 1`

async function attachPartition(client: PoolClient, parent: string, day: string): Promise<void> {
  const name = `${parent}_${day}`
  const from = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`
  const to = new Date(Date.parse(from) + 86_400_000).toISOString().slice(0, 10)
  await client.query(`create table ${name} (like ${parent} including all)`)
  // Deliveries are updated several times in their short life.
  if (parent === 'deliveries') await client.query(`alter table ${name} set (fillfactor = 70)`)
  await client.query(
    `alter table ${parent} attach partition ${name} for values from ('${from}T00:00:00Z') to ('${to}T00:00:00Z')`,
  )
}

/**
 * Drops the partitions of days that lie more than `retentionDays` back, unless a delivery of that day
 * is still open; then the whole day stays until the next round.
 *
 * @returns the names of the partitions dropped
 */
export async function dropExpiredPartitions(pool: Pool, retentionDays: number): Promise<string[]> {
  const { rows } = await pool.query<{ day: string }>(
    `select right(relname, 8) as day from pg_class
     where relkind = 'r' and relname ~ '^deliveries_[0-9]{8}$'
       and right(relname, 8) < to_char(now() at time zone 'UTC' - $1 * interval '1 day', 'YYYYMMDD')
     order by 1`,
    [retentionDays],
  )
  const dropped: string[] = []
  for (const { day } of rows) {
    const names = await inTransaction(pool, async (client) => {
      await client.query('select pg_advisory_xact_lock($1)', [PARTITION_LOCK])
      const open = await client.query(
        `select 1 from deliveries_${day} where due_at is not null limit 1`,
      )
      if (open.rows.length > 0) return []
      const tables = DAILY_TABLES.map((parent) => `${parent}_${day}`)
      await client.query(`drop table if exists ${tables.join(', ')}`)
      return tables
    })
    dropped.push(...names)
  }
  return dropped
}

/** Deletes at most `limit` publish keys whose window is over; answers how many. */
export async function deleteExpiredKeys(pool: Pool, limit: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from publish_keys where (tenant_uid, event_id) in (
       select tenant_uid, event_id from publish_keys
       where expires_at < now() order by expires_at limit $1 for update skip locked)
     and expires_at < now()`,
    [limit],
  )
  return rowCount ?? 0
}

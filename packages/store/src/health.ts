import type { Store } from './store.ts'

/**
 * How long the delivery that waits longest could have been sent already, in seconds; 0 when nothing
 * waits. Deliveries whose job is out do not count.
 *
 * A loose index scan: one probe of `deliveries_waiting` for each destination that has something
 * waiting, however much it is.
 */
export async function oldestDueAgeSeconds(store: Store): Promise<number> {
  const { rows } = await store.pools.query.query<{ seconds: number }>(OLDEST_DUE)
  return rows[0]?.seconds ?? 0
}

const FIRST_AFTER = `
  select d.tenant_uid, d.destination_uid, d.waiting_since from deliveries d
  where d.due_at is not null and not d.leased`

const OLDEST_DUE = `
  with recursive waiting as (
    (${FIRST_AFTER} order by d.tenant_uid, d.destination_uid, d.waiting_since limit 1)
    union all
    select next.* from waiting, lateral (
      ${FIRST_AFTER} and (d.tenant_uid, d.destination_uid) > (waiting.tenant_uid, waiting.destination_uid)
      order by d.tenant_uid, d.destination_uid, d.waiting_since limit 1
    ) next
  )
  select greatest(0, extract(epoch from now() - min(waiting_since)))::float8 as seconds from waiting`

import type { Store } from './store.ts'

/** Destinations looked at, at most: asking how a service is must not cost what it could do instead. */
const MAX_DESTINATIONS = 1000

/**
 * How long the delivery that waits longest could have been sent already, in seconds; 0 when nothing
 * waits. Deliveries whose job is out do not count.
 *
 * A loose index scan: one probe of `deliveries_waiting` for each destination that has something
 * waiting, however much it is. With more such destinations than it looks at, the answer is that of
 * some of them: large all the same when everybody waits.
 */
export async function oldestDueAgeSeconds(store: Store): Promise<number> {
  const { rows } = await store.pools.query.query<{ seconds: number | null }>(OLDEST_DUE)
  return rows[0]?.seconds ?? 0
}

const WAITING = `
  select d.tenant_uid, d.destination_uid, d.waiting_since from deliveries d
  where d.due_at is not null and not d.leased`

const FIRST = 'order by d.tenant_uid, d.destination_uid, d.waiting_since limit 1'

const OLDEST_DUE = `
  with recursive waiting as (
    (${WAITING} ${FIRST})
    union all
    select next.* from waiting, lateral (
      ${WAITING} and (d.tenant_uid, d.destination_uid) > (waiting.tenant_uid, waiting.destination_uid)
      ${FIRST}
    ) next
  )
  select greatest(0, extract(epoch from now() - min(waiting_since)))::float8 as seconds
  from (select waiting_since from waiting limit ${MAX_DESTINATIONS}) looked_at`

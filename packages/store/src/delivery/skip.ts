import type { DeliveryReason, DispatchKey } from '@postrider/common'
import { RAW_TYPES } from '../pools.ts'
import type { Store } from '../store.ts'
import { dispatchKeyParameters, KEYS, sameDelivery } from './keys.ts'

/**
 * What Postgres says of a delivery that a cache believes undeliverable.
 *
 * - `skipped`: so it is; the delivery is skipped now, with the reason
 * - `deliverable`: the cache was wrong; read the destination again and go on
 * - `stale`: the job is not the row's any more
 */
export type SkipAnswer =
  | { readonly kind: 'skipped'; readonly reason: DeliveryReason }
  | { readonly kind: 'deliverable' }
  | { readonly kind: 'stale' }

/**
 * Rule 5, only Postgres can say no: skips the deliveries whose destination (or tenant) is, in
 * Postgres and in this statement, disabled or deleted.
 *
 * Guarantee: no delivery is skipped because a cache says so; acts only on the dispatch named.
 *
 * @returns an answer for each key, in order
 */
export async function skipUndeliverable(
  store: Store,
  keys: readonly DispatchKey[],
): Promise<SkipAnswer[]> {
  const { rows } = await store.pools.work.query<{ i: number; reason: DeliveryReason | null }>({
    name: 'skip-undeliverable',
    text: SKIP,
    values: dispatchKeyParameters(keys),
    types: RAW_TYPES,
  })
  const answers: SkipAnswer[] = keys.map(() => ({ kind: 'stale' }))
  for (const { i, reason } of rows) {
    answers[i - 1] = reason === null ? { kind: 'deliverable' } : { kind: 'skipped', reason }
  }
  return answers
}

// A row of `destinations` or `tenants` that is missing altogether was deleted long ago.
const SKIP = `
  with locked as (
    select d.event_uid, d.destination_uid, d.received_at, k.i,
      case
        when t.uid is null or t.deleted_at is not null then 'tenant_deleted'
        when x.uid is null or x.deleted_at is not null then 'destination_deleted'
        when x.disabled_at is not null then 'destination_disabled'
      end as reason
    from ${KEYS}
    join deliveries d on ${sameDelivery('d', 'k')} and d.dispatch = k.dispatch and d.leased
    left join destinations x on x.uid = d.destination_uid
    left join tenants t on t.uid = d.tenant_uid
    order by d.event_uid, d.destination_uid
    for update of d
  ), skipped as (
    update deliveries d
    set status = 'skipped', reason = l.reason, due_at = null, leased = false, manual = false,
        resume_at = null
    from locked l where ${sameDelivery('d', 'l')} and l.reason is not null
  )
  select i::int, reason from locked`

import type { DispatchKey } from '@postrider/common'
import { RAW_TYPES } from '../pools.ts'
import type { Store } from '../store.ts'
import { dispatchKeyParameters, KEYS, sameDelivery } from './keys.ts'

/**
 * Ends the leases of jobs that nobody has: refused by the broker, or put down unstarted by a process
 * that stops. The deliveries are due now.
 *
 * Guarantee: acts only on rows that still have the dispatch named and whose job is out (rule 1). To
 * be called only on a definite no; a job whose fate is unknown is left to its lease.
 *
 * @returns how many rows were released
 */
export async function releaseJobs(store: Store, keys: readonly DispatchKey[]): Promise<number> {
  if (keys.length === 0) return 0
  const { rowCount } = await store.pools.work.query({
    name: 'release-jobs',
    text: RELEASE,
    values: dispatchKeyParameters(keys),
    types: RAW_TYPES,
  })
  return rowCount ?? 0
}

const RELEASE = `
  with locked as (
    select d.event_uid, d.destination_uid, d.received_at
    from ${KEYS}
    join deliveries d on ${sameDelivery('d', 'k')} and d.dispatch = k.dispatch and d.leased
    order by d.event_uid, d.destination_uid
    for update of d
  )
  update deliveries d
  set leased = false, due_at = date_trunc('milliseconds', now())
  from locked l where ${sameDelivery('d', 'l')}`

/**
 * Puts back jobs that were handed out before and not acked: whoever had them may have sent them, so
 * they are not sent now. Their leases end after `delayMs`, by when that process has written its
 * outcome or is dead; the claim of an ended lease is then marked `verify` (rule 3).
 *
 * Guarantee: only shortens a lease, and only of the dispatch named.
 */
export async function putBackRedelivered(
  store: Store,
  keys: readonly DispatchKey[],
  delayMs: number,
): Promise<void> {
  if (keys.length === 0) return
  await store.pools.work.query({
    name: 'put-back-redelivered',
    text: PUT_BACK,
    values: [...dispatchKeyParameters(keys), delayMs],
    types: RAW_TYPES,
  })
}

const PUT_BACK = `
  with locked as (
    select d.event_uid, d.destination_uid, d.received_at
    from ${KEYS}
    join deliveries d on ${sameDelivery('d', 'k')} and d.dispatch = k.dispatch and d.leased
    order by d.event_uid, d.destination_uid
    for update of d
  )
  update deliveries d
  set due_at = least(d.due_at, date_trunc('milliseconds', now()) + $5::float8 * interval '1 millisecond')
  from locked l where ${sameDelivery('d', 'l')}`

/**
 * Ends the lease of every job that is out, at once. Only for the process that holds the job lock
 * alone (in-process jobs), where no other process can have one.
 *
 * @param started - true: the jobs of a dead predecessor, which may have been sent: the next claim
 *   counts them as lost and marks them `verify`. False: known not to have started: simply due.
 */
export async function releaseAllLeases(
  store: Store,
  { started }: { readonly started: boolean },
): Promise<number> {
  const { rowCount } = await store.pools.work.query(
    `update deliveries set leased = $1, due_at = date_trunc('milliseconds', now()) where leased`,
    [started],
  )
  return rowCount ?? 0
}

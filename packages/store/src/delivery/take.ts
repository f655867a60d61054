import type { DispatchKey } from '@postrider/common'
import { RAW_TYPES } from '../pools.ts'
import type { Store } from '../store.ts'
import { dispatchKeyParameters, KEYS, sameDelivery } from './keys.ts'

/** A job that won its row: the dispatch and the lease that it goes on with. */
export interface Taken {
  readonly dispatch: number
  readonly leaseEndMs: number
}

/**
 * Rule 3, taking: a job that is marked `verify`, or that has less than half of its lease left, must
 * win its row just before the send.
 *
 * Guarantee: of all copies of one dispatch exactly one wins; it continues under a new dispatch with a
 * full lease, and every other copy is stale from then on. A dispatch that is not the row's, or whose
 * lease was released, wins nothing.
 *
 * @returns for each key, in order, what it won, or null when it is stale: to be acked unsent
 */
export async function takeJobs(
  store: Store,
  keys: readonly DispatchKey[],
  leaseMs: number,
): Promise<(Taken | null)[]> {
  const { rows } = await store.pools.work.query<{
    i: number
    dispatch: number
    lease_end_ms: number
  }>({
    name: 'take-jobs',
    text: TAKE,
    values: [...dispatchKeyParameters(keys), leaseMs],
    types: RAW_TYPES,
  })
  const taken: (Taken | null)[] = keys.map(() => null)
  for (const row of rows) {
    taken[row.i - 1] = { dispatch: row.dispatch, leaseEndMs: row.lease_end_ms }
  }
  return taken
}

// Two copies of one job in one batch would both join the row; the first one given has it.
const TAKE = `
  with locked as (
    select d.event_uid, d.destination_uid, d.received_at, k.i
    from ${KEYS}
    join deliveries d on ${sameDelivery('d', 'k')} and d.dispatch = k.dispatch and d.leased
    order by d.event_uid, d.destination_uid, k.i
    for update of d
  ), first_copies as (
    select distinct on (event_uid, destination_uid) * from locked
    order by event_uid, destination_uid, i
  )
  update deliveries d
  set dispatch = d.dispatch + 1,
      due_at = date_trunc('milliseconds', now()) + $5::float8 * interval '1 millisecond'
  from first_copies l where ${sameDelivery('d', 'l')}
  returning l.i, d.dispatch, (extract(epoch from d.due_at) * 1000)::float8 as lease_end_ms`

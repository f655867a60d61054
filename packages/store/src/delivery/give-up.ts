import type { DispatchKey } from '@postrider/common'
import { RAW_TYPES } from '../pools.ts'
import type { Store } from '../store.ts'
import { dispatchKeyParameters, KEYS, sameDelivery } from './keys.ts'

/**
 * Ends deliveries for good without an attempt: open for too long, or lost with their process too
 * often. A delivery that somebody else moved on meanwhile is left alone.
 *
 * Guarantee: acts only on rows that still have the dispatch named and are due (rule 1).
 *
 * @returns how many were ended
 */
export async function giveUp(
  store: Store,
  keys: readonly DispatchKey[],
  reason: 'expired' | 'lost_too_often',
): Promise<number> {
  if (keys.length === 0) return 0
  const { rowCount } = await store.pools.work.query({
    name: 'give-up',
    text: GIVE_UP,
    values: [...dispatchKeyParameters(keys), reason],
    types: RAW_TYPES,
  })
  return rowCount ?? 0
}

const GIVE_UP = `
  with locked as (
    select d.event_uid, d.destination_uid, d.received_at
    from ${KEYS}
    join deliveries d on ${sameDelivery('d', 'k')} and d.dispatch = k.dispatch and d.due_at <= now()
    order by d.event_uid, d.destination_uid
    for update of d skip locked
  )
  update deliveries d
  set status = 'failed', reason = $5, due_at = null, leased = false, manual = false, resume_at = null
  from locked l where ${sameDelivery('d', 'l')}`

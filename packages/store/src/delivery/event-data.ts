import type { DeliveryKey } from '@postrider/common'
import { plainArray } from '../arrays.ts'
import { RAW_TYPES } from '../pools.ts'
import type { Store } from '../store.ts'
import { timeArray } from './keys.ts'

/**
 * The bytes of `data` of events whose jobs carry a reference (the claim check).
 *
 * @returns for each key, in order, the bytes, or null when the event is gone
 */
export async function readEventData(
  store: Store,
  keys: readonly DeliveryKey[],
): Promise<(Buffer | null)[]> {
  const { rows } = await store.pools.work.query<{ i: number; data: Buffer }>({
    name: 'read-event-data',
    text: `
      select k.i::int, e.data
      from unnest($1::uuid[], $2::timestamptz[]) with ordinality as k (uid, received_at, i)
      join events e on e.uid = k.uid and e.received_at = k.received_at`,
    values: [
      plainArray(keys.map((key) => key.eventUid)),
      timeArray(keys.map((key) => key.receivedAt)),
    ],
    types: RAW_TYPES,
  })
  const data: (Buffer | null)[] = keys.map(() => null)
  for (const row of rows) data[row.i - 1] = row.data
  return data
}

import { deleteExpiredKeys, dropExpiredPartitions, ensurePartitions } from './partitions.ts'
import { deleteExpiredSigningKeys } from './signing-key-rows.ts'
import type { Store } from './store.ts'
import { inTransaction } from './transaction.ts'

/** Held by the process whose turn it is; the others pass. */
const MAINTENANCE_LOCK = '7700000000004'
const KEYS_AT_A_TIME = 1000

/**
 * One round of upkeep: partitions of the coming days, retention, expired signing keys, expired publish
 * keys in small pieces. Of all processes one at a time; a process whose turn it is not returns at once.
 */
export async function runMaintenance(store: Store, retentionDays: number): Promise<void> {
  const { query } = store.pools
  await inTransaction(query, async (client) => {
    await client.query('set local idle_in_transaction_session_timeout = 0')
    const { rows } = await client.query<{ mine: boolean }>(
      `select pg_try_advisory_xact_lock(${MAINTENANCE_LOCK}) as mine`,
    )
    if (rows[0]?.mine !== true) return
    const made = await ensurePartitions(query)
    const dropped = await dropExpiredPartitions(query, retentionDays)
    await deleteExpiredSigningKeys(query)
    let deleted = 0
    for (let n = KEYS_AT_A_TIME; n === KEYS_AT_A_TIME; deleted += n) {
      n = await deleteExpiredKeys(query, KEYS_AT_A_TIME)
    }
    if (made + dropped.length + deleted > 0) {
      store.log.info('maintenance', {
        partitionsMade: made,
        partitionsDropped: dropped,
        keysDeleted: deleted,
      })
    }
  })
}

import { inTransaction } from '../transaction.ts'
import type { Store } from '../store.ts'

/**
 * Disables a destination because of what a delivery to it met (410).
 *
 * Guarantee: only the version that was used is disabled; a destination that was changed since gets
 * another chance (rule 5).
 *
 * @returns whether it was disabled now
 */
export async function disableUsedVersion(
  store: Store,
  destinationUid: string,
  version: number,
): Promise<boolean> {
  return await inTransaction(store.pools.work, async (client) => {
    // The tenant's row first, as every change of a destination does: one order of locks for all.
    const { rowCount } = await client.query(
      `select 1 from tenants t join destinations x on x.tenant_uid = t.uid
       where x.uid = $1 and x.version = $2 and x.deleted_at is null for update of t`,
      [destinationUid, version],
    )
    if (rowCount === 0) return false
    const disabled = await client.query<{ tenant_uid: string }>(
      `update destinations
       set disabled_at = date_trunc('milliseconds', now()), version = version + 1,
           updated_at = date_trunc('milliseconds', now())
       where uid = $1 and version = $2 and disabled_at is null and deleted_at is null
       returning tenant_uid`,
      [destinationUid, version],
    )
    const tenantUid = disabled.rows[0]?.tenant_uid
    if (tenantUid === undefined) return false
    await client.query('update tenants set routing_version = routing_version + 1 where uid = $1', [
      tenantUid,
    ])
    return true
  })
}

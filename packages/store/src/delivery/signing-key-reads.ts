import type { SigningKey } from '@postrider/common'
import { IN_FORCE, insertMissingKeys, NEWEST_FIRST, openSealedKey } from '../signing-key-rows.ts'
import type { Store } from '../store.ts'

/**
 * The keys in force of these tenants, by tenant, the current one first; a tenant that has none gets
 * one. Null: one of them cannot be decrypted.
 */
export async function readSigningKeys(
  store: Store,
  tenantUids: readonly string[],
): Promise<Map<string, readonly SigningKey[] | null>> {
  if (tenantUids.length === 0) return new Map()
  const rows = await readRows(store, tenantUids)
  const keyless = tenantUids.filter((uid) => !rows.has(uid))
  if (keyless.length > 0) {
    await insertMissingKeys(store.pools.work, store.cipher, keyless)
    for (const [uid, own] of await readRows(store, keyless)) rows.set(uid, own)
  }
  return new Map(tenantUids.map((uid) => [uid, decrypted(store, uid, rows.get(uid) ?? [])]))
}

function decrypted(
  store: Store,
  tenantUid: string,
  rows: readonly KeyRow[],
): readonly SigningKey[] | null {
  try {
    return rows.map((row) => ({
      kid: row.kid,
      privateKey: openSealedKey(store.cipher, row),
      invalidAtMs: row.invalid_at?.getTime() ?? null,
    }))
  } catch (error) {
    store.log.error('signing keys cannot be decrypted', { tenantUid, error })
    return null
  }
}

interface KeyRow {
  readonly uid: string
  readonly tenant_uid: string
  readonly kid: string
  readonly private_key: Buffer
  readonly invalid_at: Date | null
}

/** By tenant; those without a key are left out. */
async function readRows(
  store: Store,
  tenantUids: readonly string[],
): Promise<Map<string, KeyRow[]>> {
  const { rows } = await store.pools.work.query<KeyRow>({
    name: 'read-signing-keys',
    text: `
      select k.uid, k.tenant_uid, k.kid, k.private_key, k.invalid_at
      from tenant_signing_keys k
      where k.tenant_uid = any($1::uuid[]) and ${IN_FORCE}
      order by ${NEWEST_FIRST}`,
    values: [tenantUids],
  })
  const byTenant = new Map<string, KeyRow[]>()
  for (const row of rows) {
    const own = byTenant.get(row.tenant_uid)
    if (own === undefined) byTenant.set(row.tenant_uid, [row])
    else own.push(row)
  }
  return byTenant
}

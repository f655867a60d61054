import type { PoolClient } from 'pg'
import { lockTenant, NOW } from './destinations.ts'
import {
  IN_FORCE,
  insertCurrentKey,
  insertMissingKeys,
  newSealedKey,
  NEWEST_FIRST,
} from './signing-key-rows.ts'
import type { Store } from './store.ts'
import { inTransaction } from './transaction.ts'

/**
 * The key pairs that a tenant's webhooks are signed with, as the api sees them: their public halves,
 * and their rotation. A key is made when it is first needed, signs until it is rotated and then, beside
 * its successor, until its window ends.
 */

/** The public half of a key in force. */
export interface PublicSigningKey {
  readonly kid: string
  /** The 32 bytes of an Ed25519 public key (RFC 8032). */
  readonly publicKey: Buffer
  readonly createdAt: Date
  /** When it stops signing; null: the current one. */
  readonly invalidAt: Date | null
}

export interface KeyMaking {
  /** Whether tenants without a key get one. */
  readonly makesMissing: boolean
}

/**
 * The keys in force of the tenants with these ids, the current one first. Tenants that do not exist are
 * left out, and those that have no key.
 */
export async function readPublicKeys(
  store: Store,
  tenantIds: readonly string[],
  { makesMissing }: KeyMaking,
): Promise<Map<string, PublicSigningKey[]>> {
  const sets = await readKeySets(store, tenantIds)
  const keyless = sets.filter(({ keys }) => keys.length === 0)
  if (makesMissing && keyless.length > 0) {
    const uids = keyless.map(({ tenantUid }) => tenantUid)
    await insertMissingKeys(store.pools.query, store.cipher, uids)
    const ids = keyless.map(({ tenantId }) => tenantId)
    sets.push(...(await readKeySets(store, ids)))
  }
  const filled = sets.filter(({ keys }) => keys.length > 0)
  return new Map(filled.map(({ tenantId, keys }) => [tenantId, keys]))
}

export interface Rotation extends KeyMaking {
  readonly tenantId: string
  /**
   * When the keys before the new one stop signing, unless they stop sooner; Unix milliseconds, now or
   * past: at once. Default: the current one in 24 hours, those before it when they would have anyway.
   */
  readonly previousInvalidAtMs?: number
}

export type RotationAnswer =
  | { readonly kind: 'tenant_not_found' | 'no_keys' }
  | {
      readonly kind: 'rotated'
      /** In force, the new one first. */
      readonly keys: readonly PublicSigningKey[]
      /** All the destinations that are signed for otherwise now. */
      readonly destinationUids: readonly string[]
    }

/** How many keys of a tenant sign at once: each costs header space and time in every request. */
const MAX_IN_FORCE = 5

/**
 * Gives a tenant a new current key. Raises the version of its destinations, by which deliverers see
 * that what they have is old; their owners see no change, and publishes route as before.
 */
export async function rotateSigningKeys(
  store: Store,
  { tenantId, makesMissing, previousInvalidAtMs }: Rotation,
): Promise<RotationAnswer> {
  const key = await newSealedKey(store.cipher)
  return await inTransaction(store.pools.query, async (client) => {
    const tenantUid = await lockTenant(client, tenantId)
    if (tenantUid === null) return { kind: 'tenant_not_found' }
    const hadKey = await endKeys(client, tenantUid, previousInvalidAtMs)
    if (!hadKey && !makesMissing) return { kind: 'no_keys' }
    await insertCurrentKey(client, tenantUid, key)
    await client.query(
      `delete from tenant_signing_keys where tenant_uid = $1 and uid not in (
         select k.uid from tenant_signing_keys k where k.tenant_uid = $1 and ${IN_FORCE}
         order by ${NEWEST_FIRST} limit ${MAX_IN_FORCE})`,
      [tenantUid],
    )
    const raised = await client.query<{ uid: string }>(
      `update destinations set version = version + 1
       where tenant_uid = $1 and deleted_at is null returning uid`,
      [tenantUid],
    )
    const { rows } = await client.query<KeyRow>(
      `select ${KEY_COLUMNS} from tenant_signing_keys k
       where k.tenant_uid = $1 and ${IN_FORCE} order by ${NEWEST_FIRST}`,
      [tenantUid],
    )
    const destinationUids = raised.rows.map(({ uid }) => uid)
    return { kind: 'rotated', keys: rows.map(toPublicKey), destinationUids }
  })
}

/** Sets the end of the current key, and of those before it where the end is given. */
async function endKeys(
  client: PoolClient,
  tenantUid: string,
  invalidAtMs: number | undefined,
): Promise<boolean> {
  const invalidAt = invalidAtMs === undefined ? null : new Date(invalidAtMs)
  // Of nulls `least` takes no notice.
  const { rowCount } = await client.query(
    `update tenant_signing_keys
     set invalid_at = least(invalid_at, coalesce($2::timestamptz, ${NOW} + interval '24 hours'))
     where tenant_uid = $1 and (invalid_at is null or $2::timestamptz is not null)`,
    [tenantUid, invalidAt],
  )
  return rowCount !== 0
}

interface KeyRow {
  readonly kid: string
  readonly public_key: Buffer
  readonly created_at: Date
  readonly invalid_at: Date | null
}

const KEY_COLUMNS = 'k.kid, k.public_key, k.created_at, k.invalid_at'

interface KeySet {
  readonly tenantUid: string
  readonly tenantId: string
  readonly keys: PublicSigningKey[]
}

async function readKeySets(store: Store, tenantIds: readonly string[]): Promise<KeySet[]> {
  const { rows } = await store.pools.query.query<TenantRow & (KeyRow | NoKey)>(
    `select t.uid as tenant_uid, t.id as tenant_id, ${KEY_COLUMNS}
     from tenants t left join tenant_signing_keys k on k.tenant_uid = t.uid and ${IN_FORCE}
     where t.id = any($1::text[]) and t.deleted_at is null
     order by ${NEWEST_FIRST}`,
    [tenantIds],
  )
  const sets = new Map<string, KeySet>()
  for (const row of rows) {
    const { tenant_uid: tenantUid, tenant_id: tenantId } = row
    const set = sets.get(tenantUid) ?? { tenantUid, tenantId, keys: [] }
    if (row.kid !== null) set.keys.push(toPublicKey(row))
    sets.set(tenantUid, set)
  }
  return [...sets.values()]
}

interface TenantRow {
  readonly tenant_uid: string
  readonly tenant_id: string
}

/** Of a tenant without keys. */
interface NoKey {
  readonly kid: null
}

function toPublicKey(row: KeyRow): PublicSigningKey {
  return {
    kid: row.kid,
    publicKey: row.public_key,
    createdAt: row.created_at,
    invalidAt: row.invalid_at,
  }
}

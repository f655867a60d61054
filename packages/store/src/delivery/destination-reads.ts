import type { DeliveryDestination, SigningKey, StringMap } from '@postrider/common'
import type { Store } from '../store.ts'
import { readSigningKeys } from './signing-key-reads.ts'

export interface DestinationReadOptions {
  /**
   * The destination types that sign with the keys of their tenants. Theirs come with keys, and a tenant
   * that has no key yet gets one. Default: none.
   */
  readonly signedTypes?: readonly string[]
}

/**
 * The destinations with these uids as the delivery path needs them, credentials decrypted. Deleted
 * ones, and those of deleted tenants, are left out; disabled ones are not. One whose credentials or
 * keys cannot be decrypted is left out of `destinations` and named in `undecryptable`: that is a fault
 * of ours, not a deleted destination.
 */
export async function readDestinationsForDelivery(
  store: Store,
  uids: readonly string[],
  { signedTypes = [] }: DestinationReadOptions = {},
): Promise<{ destinations: DeliveryDestination[]; undecryptable: string[] }> {
  const { rows } = await store.pools.work.query<DestinationRow>({
    name: 'read-destinations-for-delivery',
    text: `
      select x.uid, x.id, x.tenant_uid, t.id as tenant_id, x.type, x.version, x.config, x.credentials,
        x.delivery_metadata, x.topics, x.disabled_at is not null as is_disabled
      from destinations x join tenants t on t.uid = x.tenant_uid
      where x.uid = any($1::uuid[]) and x.deleted_at is null and t.deleted_at is null`,
    values: [uids],
  })
  const signed = rows.filter(({ type }) => signedTypes.includes(type))
  const tenantUids = [...new Set(signed.map((row) => row.tenant_uid))]
  // After the destinations, never before: keys may be newer than the version beside them, which is
  // then found to be old, but older ones would be taken for those of that version.
  const keys = await readSigningKeys(store, tenantUids)
  const destinations: DeliveryDestination[] = []
  const undecryptable: string[] = []
  for (const row of rows) {
    const signingKeys = signedTypes.includes(row.type) ? keys.get(row.tenant_uid) : undefined
    const credentials = decryptedCredentials(store, row)
    if (credentials === null || signingKeys === null) undecryptable.push(row.uid)
    else destinations.push(toDestination(row, credentials, signingKeys))
  }
  return { destinations, undecryptable }
}

function decryptedCredentials(store: Store, row: DestinationRow): StringMap | null {
  try {
    return store.cipher.decrypt(row.credentials, row.uid)
  } catch (error) {
    store.log.error('credentials cannot be decrypted', { destinationUid: row.uid, error })
    return null
  }
}

interface DestinationRow {
  readonly uid: string
  readonly id: string
  readonly tenant_uid: string
  readonly tenant_id: string
  readonly type: string
  readonly version: string
  readonly config: Record<string, string>
  readonly credentials: Buffer
  readonly delivery_metadata: Record<string, string>
  readonly topics: string[]
  readonly is_disabled: boolean
}

function toDestination(
  row: DestinationRow,
  credentials: StringMap,
  signingKeys: readonly SigningKey[] | undefined,
): DeliveryDestination {
  return Object.freeze({
    uid: row.uid,
    id: row.id,
    tenantUid: row.tenant_uid,
    tenantId: row.tenant_id,
    type: row.type,
    version: Number(row.version),
    config: row.config,
    credentials,
    deliveryMetadata: row.delivery_metadata,
    topics: row.topics,
    ...(signingKeys === undefined ? {} : { signingKeys }),
    isDisabled: row.is_disabled,
  })
}

/** The versions of these destinations; deleted ones and those of deleted tenants are left out. */
export async function readDestinationVersions(
  store: Store,
  uids: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await store.pools.work.query<{ uid: string; version: string }>({
    name: 'read-destination-versions',
    text: `
      select x.uid, x.version
      from destinations x join tenants t on t.uid = x.tenant_uid
      where x.uid = any($1::uuid[]) and x.deleted_at is null and t.deleted_at is null`,
    values: [uids],
  })
  return new Map(rows.map((row) => [row.uid, Number(row.version)]))
}

import type { DeliveryDestination } from '@postrider/common'
import type { Store } from '../store.ts'

/**
 * The destinations with these uids as the delivery path needs them, credentials decrypted. Deleted
 * ones, and those of deleted tenants, are left out; disabled ones are not. One whose credentials
 * cannot be decrypted is left out of `destinations` and named in `undecryptable`: that is a fault of
 * ours, not a deleted destination.
 */
export async function readDestinationsForDelivery(
  store: Store,
  uids: readonly string[],
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
  const destinations: DeliveryDestination[] = []
  const undecryptable: string[] = []
  for (const row of rows) {
    try {
      destinations.push(toDestination(row, store.cipher.decrypt(row.credentials, row.uid)))
    } catch (error) {
      undecryptable.push(row.uid)
      store.log.error('credentials cannot be decrypted', { destinationUid: row.uid, error })
    }
  }
  return { destinations, undecryptable }
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
  credentials: Readonly<Record<string, string>>,
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

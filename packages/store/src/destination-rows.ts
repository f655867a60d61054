import { isDeepStrictEqual } from 'node:util'
import type { StringMap } from '@postrider/common'
import type { PoolClient } from 'pg'
import type { Store } from './store.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** What owners decide about a destination. */
export interface DestinationContent {
  readonly topics: readonly string[]
  /** Null: none. */
  readonly filter: JsonObject | null
  readonly config: StringMap
  readonly credentials: StringMap
  readonly deliveryMetadata: StringMap
  readonly metadata: StringMap
  /** Since when it is disabled; null: it is enabled. */
  readonly disabledAt: Date | null
}

/** A destination as it is stored, its credentials decrypted. Never logged. */
export interface StoredDestination extends DestinationContent {
  readonly uid: string
  readonly id: string
  readonly tenantId: string
  readonly type: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface DestinationRow {
  readonly uid: string
  readonly id: string
  readonly tenant_id: string
  readonly type: string
  readonly topics: string[]
  readonly filter: JsonObject | null
  readonly config: Record<string, string>
  readonly credentials: Buffer
  readonly delivery_metadata: Record<string, string>
  readonly metadata: Record<string, string>
  readonly disabled_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** The columns of a `DestinationRow`, from tenants as `t` and destinations as `d`. */
export const DESTINATION_COLUMNS = `
  d.uid, d.id, t.id as tenant_id, d.type, d.topics, d.filter, d.config, d.credentials,
  d.delivery_metadata, d.metadata, d.disabled_at, d.created_at, d.updated_at`

/** Whether an outer join found a destination. */
export function isDestinationRow(row: {
  readonly [K in keyof DestinationRow]?: DestinationRow[K] | null
}): row is DestinationRow {
  return typeof row.uid === 'string'
}

/** @throws {UndecryptableError} When no configured secret opens its credentials */
export function toStoredDestination(store: Store, row: DestinationRow): StoredDestination {
  return {
    uid: row.uid,
    id: row.id,
    tenantId: row.tenant_id,
    type: row.type,
    topics: row.topics,
    filter: row.filter,
    config: row.config,
    credentials: store.cipher.decrypt(row.credentials, row.uid),
    deliveryMetadata: row.delivery_metadata,
    metadata: row.metadata,
    disabledAt: row.disabled_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** Whether content is what is stored already; the order of members does not matter, that of lists does. */
export function isSameContent(stored: DestinationContent, content: DestinationContent): boolean {
  return (
    isDeepStrictEqual(stored.topics, content.topics) &&
    isDeepStrictEqual(stored.filter, content.filter) &&
    isDeepStrictEqual({ ...stored.config }, { ...content.config }) &&
    isDeepStrictEqual({ ...stored.credentials }, { ...content.credentials }) &&
    isDeepStrictEqual({ ...stored.deliveryMetadata }, { ...content.deliveryMetadata }) &&
    isDeepStrictEqual({ ...stored.metadata }, { ...content.metadata }) &&
    stored.disabledAt?.getTime() === content.disabledAt?.getTime()
  )
}

export interface DestinationToInsert extends DestinationContent {
  readonly uid: string
  readonly id: string
  readonly tenantId: string
  readonly tenantUid: string
  readonly type: string
  readonly createdAt: Date
}

export async function insertDestination(
  client: PoolClient,
  store: Store,
  given: DestinationToInsert,
): Promise<StoredDestination> {
  await client.query(
    `insert into destinations (uid, tenant_uid, id, type, created_at, updated_at,
       topics, filter, config, credentials, delivery_metadata, metadata, disabled_at)
     values ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      given.uid,
      given.tenantUid,
      given.id,
      given.type,
      given.createdAt,
      ...contentValues(store, given.uid, given),
    ],
  )
  return destinationOf(given, given, given.createdAt)
}

/** Also raises the version, by which deliverers see that what they have is old. */
export async function updateDestination(
  client: PoolClient,
  store: Store,
  current: StoredDestination,
  content: DestinationContent,
  updatedAt: Date,
): Promise<StoredDestination> {
  await client.query(
    `update destinations
     set version = version + 1, updated_at = $2, topics = $3, filter = $4, config = $5,
       credentials = $6, delivery_metadata = $7, metadata = $8, disabled_at = $9
     where uid = $1`,
    [current.uid, updatedAt, ...contentValues(store, current.uid, content)],
  )
  return destinationOf(current, content, updatedAt)
}

function contentValues(store: Store, uid: string, content: DestinationContent): unknown[] {
  return [
    content.topics,
    content.filter === null ? null : JSON.stringify(content.filter),
    JSON.stringify(content.config),
    store.cipher.encrypt(content.credentials, uid),
    JSON.stringify(content.deliveryMetadata),
    JSON.stringify(content.metadata),
    content.disabledAt,
  ]
}

type Identity = Pick<StoredDestination, 'uid' | 'id' | 'tenantId' | 'type' | 'createdAt'>

function destinationOf(
  { uid, id, tenantId, type, createdAt }: Identity,
  content: DestinationContent,
  updatedAt: Date,
): StoredDestination {
  return {
    uid,
    id,
    tenantId,
    type,
    topics: content.topics,
    filter: content.filter,
    config: content.config,
    credentials: content.credentials,
    deliveryMetadata: content.deliveryMetadata,
    metadata: content.metadata,
    disabledAt: content.disabledAt,
    createdAt,
    updatedAt,
  }
}

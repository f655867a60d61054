import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { DeliveryReason, DeliveryStatus } from '@postrider/common'

/** Read as a Date, written as a Date or text. */
type Time = ColumnType<Date, Date | string, Date | string>
type NullableTime = ColumnType<Date | null, Date | string | null, Date | string | null>
type StringMapColumn = JSONColumnType<Record<string, string>>

/** The tables as today's code sees them; migrations never import this. */
export interface Schema {
  tenants: TenantsTable
  tenant_signing_keys: TenantSigningKeysTable
  destinations: DestinationsTable
  publish_keys: PublishKeysTable
  events: EventsTable
  deliveries: DeliveriesTable
  attempts: AttemptsTable
}

export interface TenantsTable {
  uid: string
  id: string
  metadata: StringMapColumn
  /** Raised in the transaction of every change to the tenant's destinations. */
  routing_version: Generated<string>
  created_at: Generated<Date>
  updated_at: Generated<Date>
  deleted_at: NullableTime
}

export interface TenantSigningKeysTable {
  uid: string
  tenant_uid: string
  kid: string
  public_key: Buffer
  /** Encrypted: PKCS #8, DER. */
  private_key: Buffer
  created_at: Time
  invalid_at: NullableTime
}

export interface DestinationsTable {
  uid: string
  tenant_uid: string
  id: string
  type: string
  topics: string[]
  filter: ColumnType<unknown, string | null, string | null>
  config: StringMapColumn
  /** Encrypted JSON object of strings. */
  credentials: Buffer
  delivery_metadata: StringMapColumn
  metadata: StringMapColumn
  disabled_at: NullableTime
  version: Generated<string>
  created_at: Generated<Date>
  updated_at: Generated<Date>
  deleted_at: NullableTime
}

export interface PublishKeysTable {
  tenant_uid: string
  event_id: string
  event_uid: string
  received_at: Time
  content_hash: Buffer
  expires_at: Time
}

export interface EventsTable {
  received_at: Time
  uid: string
  tenant_uid: string
  id: string
  topic: string
  time: Time
  metadata: StringMapColumn
  /** The bytes of `data` as published. */
  data: Buffer
  eligible_for_retry: boolean
  matched_destination_ids: string[]
}

export interface DeliveriesTable {
  received_at: Time
  event_uid: string
  destination_uid: string
  tenant_uid: string
  event_time: Time
  status: DeliveryStatus
  reason: DeliveryReason | null
  due_at: NullableTime
  leased: boolean
  dispatch: number
  waiting_since: Time
  open_since: Time
  resume_at: NullableTime
  attempts: Generated<number>
  tries: Generated<number>
  faults: Generated<number>
  losses: Generated<number>
  manual: Generated<boolean>
  eligible_for_retry: boolean
  job_bytes: number
}

export interface AttemptsTable {
  received_at: Time
  uid: string
  event_uid: string
  destination_uid: string
  tenant_uid: string
  number: number
  dispatch: number
  status: 'success' | 'failed'
  code: string
  time: Time
  duration_ms: number
  manual: boolean
  next_attempt_at: NullableTime
  response_head: ColumnType<Record<string, unknown> | null, string | null, string | null>
  response_body: Buffer | null
  response_cut: boolean
}

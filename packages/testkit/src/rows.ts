import type { Pool } from 'pg'
import { type DeliveryReason, type DeliveryStatus, jobBytes, newUid } from '@postrider/common'

/**
 * Rows put straight into the tables, thousands in one statement: for tests of what reads them, which
 * name only what matters. Everything else has a value that the service itself could have written.
 */

/** When rows are received unless a test says otherwise: the start of today, whose partitions exist. */
export function startOfToday(): Date {
  return new Date(new Date().setUTCHours(0, 0, 0, 0))
}

export interface TenantRow {
  readonly uid: string
  readonly id: string
  readonly deletedAt: Date | null
}

export function tenantRow(given: Partial<TenantRow> = {}): TenantRow {
  const uid = given.uid ?? newUid()
  return { uid, id: `tenant-${uid}`, deletedAt: null, ...given }
}

export interface DestinationRow {
  readonly uid: string
  readonly tenantUid: string
  readonly id: string
  readonly type: string
  readonly topics: readonly string[]
  readonly filter: unknown
  readonly createdAt: Date
  readonly disabledAt: Date | null
  readonly deletedAt: Date | null
}

export function destinationRow(
  given: Partial<DestinationRow> & Pick<DestinationRow, 'tenantUid'>,
): DestinationRow {
  const uid = given.uid ?? newUid()
  return {
    uid,
    id: `des_${uid}`,
    type: 'webhook',
    topics: ['*'],
    filter: null,
    createdAt: startOfToday(),
    disabledAt: null,
    deletedAt: null,
    ...given,
  }
}

export interface EventRow {
  readonly uid: string
  readonly tenantUid: string
  readonly receivedAt: Date
  readonly id: string
  readonly topic: string
  readonly time: Date
  readonly metadata: Readonly<Record<string, string>>
  /** JSON text. */
  readonly data: string
  readonly isEligibleForRetry: boolean
  readonly matchedDestinationIds: readonly string[]
}

export function eventRow(given: Partial<EventRow> & Pick<EventRow, 'tenantUid'>): EventRow {
  const uid = given.uid ?? newUid()
  const receivedAt = given.receivedAt ?? startOfToday()
  return {
    uid,
    receivedAt,
    id: `evt_${uid}`,
    topic: 'user.created',
    time: receivedAt,
    metadata: {},
    data: '{}',
    isEligibleForRetry: true,
    matchedDestinationIds: [],
    ...given,
  }
}

export interface DeliveryRow {
  readonly event: EventRow
  readonly destinationUid: string
  readonly status: DeliveryStatus
  readonly reason: DeliveryReason | null
  readonly dueAt: Date | null
  readonly isLeased: boolean
  readonly dispatch: number
  readonly attempts: number
  readonly tries: number
  readonly losses: number
  readonly isManual: boolean
  readonly resumeAt: Date | null
  readonly openSince: Date
  readonly waitingSince: Date
}

export function deliveryRow(
  given: Partial<DeliveryRow> & Pick<DeliveryRow, 'event' | 'destinationUid'>,
): DeliveryRow {
  return {
    status: 'success',
    reason: null,
    dueAt: null,
    isLeased: false,
    dispatch: 1,
    attempts: 1,
    tries: 1,
    losses: 0,
    isManual: false,
    resumeAt: null,
    openSince: given.event.receivedAt,
    waitingSince: given.event.receivedAt,
    ...given,
  }
}

export interface AttemptRow {
  readonly uid: string
  readonly event: EventRow
  readonly destinationUid: string
  readonly number: number
  readonly status: 'success' | 'failed'
  readonly code: string
  readonly time: Date
  readonly isManual: boolean
  readonly nextAttemptAt: Date | null
  /** Null: the receiver did not answer. */
  readonly response: {
    readonly head: Readonly<Record<string, unknown>>
    readonly body: Buffer
    readonly isCut: boolean
  } | null
}

export function attemptRow(
  given: Partial<AttemptRow> & Pick<AttemptRow, 'event' | 'destinationUid'>,
): AttemptRow {
  const status = given.status ?? 'success'
  return {
    uid: newUid(),
    number: 1,
    status,
    code: status === 'success' ? '200' : '500',
    time: given.event.receivedAt,
    isManual: false,
    nextAttemptAt: null,
    response: null,
    ...given,
  }
}

/** Any of the rows above, by table. */
export interface Rows {
  readonly tenants?: readonly TenantRow[]
  readonly destinations?: readonly DestinationRow[]
  readonly events?: readonly EventRow[]
  readonly deliveries?: readonly DeliveryRow[]
  readonly attempts?: readonly AttemptRow[]
}

/** Inserts the rows, tenants first, in one statement for each table. */
export async function insertRows(pool: Pool, rows: Rows): Promise<void> {
  const insert = async (sql: string, values: readonly object[] = []): Promise<void> => {
    if (values.length > 0) await pool.query(sql, [JSON.stringify(values)])
  }
  await insert(TENANTS, rows.tenants)
  await insert(DESTINATIONS, rows.destinations)
  await insert(EVENTS, rows.events)
  await insert(
    DELIVERIES,
    rows.deliveries?.map(({ event, ...row }) => ({
      ...row,
      ...keyOf(event),
      isEligibleForRetry: event.isEligibleForRetry,
      jobBytes: jobBytes(Buffer.byteLength(event.data)),
    })),
  )
  await insert(
    ATTEMPTS,
    rows.attempts?.map(({ event, response, ...row }) => ({
      ...row,
      ...keyOf(event),
      head: response?.head ?? null,
      body: response?.body.toString('hex') ?? null,
      isCut: response?.isCut ?? false,
    })),
  )
}

function keyOf({ uid, tenantUid, receivedAt, time }: EventRow): object {
  return { eventUid: uid, tenantUid, receivedAt, eventTime: time }
}

const TENANTS = `
  insert into tenants (uid, id, deleted_at)
  select uid, id, "deletedAt"
  from jsonb_to_recordset($1) as r (uid uuid, id text, "deletedAt" timestamptz)`

// Credentials that nothing can decrypt: rows for reads that do not look at them.
const DESTINATIONS = `
  insert into destinations (
    uid, tenant_uid, id, type, topics, filter, config, credentials, created_at, disabled_at,
    deleted_at)
  select uid, "tenantUid", id, type, topics, nullif(filter, 'null'), '{}', '', "createdAt", "disabledAt",
    "deletedAt"
  from jsonb_to_recordset($1) as r (
    uid uuid, "tenantUid" uuid, id text, type text, topics text[], filter jsonb,
    "createdAt" timestamptz, "disabledAt" timestamptz, "deletedAt" timestamptz)`

const EVENTS = `
  insert into events (
    received_at, uid, tenant_uid, id, topic, time, metadata, data, eligible_for_retry,
    matched_destination_ids)
  select "receivedAt", uid, "tenantUid", id, topic, time, metadata, convert_to(data, 'UTF8'),
    "isEligibleForRetry", "matchedDestinationIds"
  from jsonb_to_recordset($1) as r (
    "receivedAt" timestamptz, uid uuid, "tenantUid" uuid, id text, topic text, time timestamptz,
    metadata jsonb, data text, "isEligibleForRetry" boolean, "matchedDestinationIds" text[])`

const DELIVERIES = `
  insert into deliveries (
    received_at, event_uid, destination_uid, tenant_uid, event_time, status, reason, due_at, leased,
    dispatch, waiting_since, open_since, resume_at, attempts, tries, losses, manual,
    eligible_for_retry, job_bytes)
  select "receivedAt", "eventUid", "destinationUid", "tenantUid", "eventTime", status, reason,
    "dueAt", "isLeased", dispatch, "waitingSince", "openSince", "resumeAt", attempts, tries, losses,
    "isManual", "isEligibleForRetry", "jobBytes"
  from jsonb_to_recordset($1) as r (
    "receivedAt" timestamptz, "eventUid" uuid, "destinationUid" uuid, "tenantUid" uuid,
    "eventTime" timestamptz, status text, reason text, "dueAt" timestamptz, "isLeased" boolean,
    dispatch integer, "waitingSince" timestamptz, "openSince" timestamptz, "resumeAt" timestamptz,
    attempts integer, tries integer, losses integer, "isManual" boolean,
    "isEligibleForRetry" boolean, "jobBytes" integer)`

const ATTEMPTS = `
  insert into attempts (
    received_at, uid, event_uid, destination_uid, tenant_uid, number, dispatch, status, code, time,
    duration_ms, manual, next_attempt_at, response_head, response_body, response_cut)
  select "receivedAt", uid, "eventUid", "destinationUid", "tenantUid", number, number, status, code,
    time, 12, "isManual", "nextAttemptAt", nullif(head, 'null'), decode(body, 'hex'), "isCut"
  from jsonb_to_recordset($1) as r (
    "receivedAt" timestamptz, uid uuid, "eventUid" uuid, "destinationUid" uuid, "tenantUid" uuid,
    number integer, status text, code text, time timestamptz, "isManual" boolean,
    "nextAttemptAt" timestamptz, head jsonb, body text, "isCut" boolean)`

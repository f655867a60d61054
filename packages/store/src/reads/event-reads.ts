import { type Kysely, sql } from 'kysely'
import type { DeliveryReason, DeliveryStatus, EventStatus } from '@postrider/common'
import type { Schema } from '../schema.ts'
import type { Store } from '../store.ts'
import { deliveryStatus, eventStatus } from './event-status.ts'
import { readInSnapshot } from './snapshot.ts'
import { inSpan, spanOf } from './span.ts'

/** An event as it is shown. */
export interface EventView {
  readonly uid: string
  readonly tenantId: string
  readonly id: string
  readonly topic: string
  readonly time: Date
  readonly metadata: Readonly<Record<string, string>>
  /** The bytes as published; null when they were not asked for. */
  readonly data: Buffer | null
  readonly isEligibleForRetry: boolean
  /** Every destination that got a delivery at publish, skipped ones included. */
  readonly matchedDestinationIds: readonly string[]
  /** Computed from the deliveries as they are now: from all, or that to the one that was asked about. */
  readonly status: EventStatus
  readonly createdAt: Date
}

/** What became of an event on its way to one destination. */
export interface DeliveryView {
  readonly destinationId: string
  readonly destinationType: string
  readonly status: DeliveryStatus
  readonly reason: DeliveryReason | null
  readonly attempts: number
  /** Null: none is to come, or it is being made now. */
  readonly nextAttemptAt: Date | null
}

/** What `findEvent` finds. `ambiguous`: several tenants have an event of this id, none was named. */
export type FoundEvent =
  | {
      readonly kind: 'found'
      readonly event: EventView
      readonly deliveries: readonly DeliveryView[]
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'ambiguous' }

/** What ties rows to an event: its uid, and the day it lies in, as Postgres' text. */
export interface EventKey {
  readonly uid: string
  readonly received_at: string
}

/** The event of this id, the newest one if the id was used again; `tenantId` null: of any tenant. */
export async function findEvent(
  store: Store,
  wanted: { readonly id: string; readonly tenantId: string | null },
): Promise<FoundEvent> {
  return await readInSnapshot(store, async (db) => {
    const key = await findEventKey(db, wanted)
    if (key === null || key === 'ambiguous') return { kind: key ?? 'none' }
    const [event] = await readEvents(db, [key], { data: true })
    if (event === undefined) return { kind: 'none' }
    return { kind: 'found', event, deliveries: await readDeliveries(db, key) }
  })
}

/** The key of the event of this id among those of living tenants; null when there is none. */
export async function findEventKey(
  db: Kysely<Schema>,
  wanted: { readonly id: string; readonly tenantId: string | null },
): Promise<EventKey | 'ambiguous' | null> {
  // One row for each tenant, of at most two: more would say no more.
  const { rows } = await sql<EventKey>`
    select distinct on (e.tenant_uid) e.uid, e.received_at::text
    from events e
    join tenants t on t.uid = e.tenant_uid and t.deleted_at is null
    where e.id = ${wanted.id} and ${wanted.tenantId === null ? sql`true` : sql`t.id = ${wanted.tenantId}`}
    order by e.tenant_uid, e.received_at desc, e.uid desc
    limit 2`.execute(db)
  return rows.length > 1 ? 'ambiguous' : (rows[0] ?? null)
}

/** What of events to read. */
export interface EventParts {
  /** The bytes of `data`, too. */
  readonly data: boolean
  /** The status is that of the delivery to this destination, which there must be. Default: the event's. */
  readonly statusAt?: string
}

/** The events with these keys, in their order; a key without a row is left out. */
export async function readEvents(
  db: Kysely<Schema>,
  keys: readonly EventKey[],
  parts: EventParts,
): Promise<EventView[]> {
  if (keys.length === 0) return []
  const span = spanOf(keys)
  const status =
    parts.statusAt === undefined
      ? eventStatus('e', span)
      : deliveryStatus('e', parts.statusAt, span)
  const { rows } = await sql<EventView>`
    select e.uid, t.id as "tenantId", e.id, e.topic, e.time, e.metadata,
      ${parts.data ? sql`e.data` : sql`null`} as data, e.eligible_for_retry as "isEligibleForRetry",
      e.matched_destination_ids as "matchedDestinationIds", ${status} as status,
      e.received_at as "createdAt"
    from unnest(
      ${keys.map(({ uid }) => uid)}::uuid[], ${keys.map((key) => key.received_at)}::timestamptz[]
    ) with ordinality as key (uid, received_at, place)
    join events e on e.uid = key.uid and e.received_at = key.received_at
      and ${inSpan('e.received_at', span)}
    join tenants t on t.uid = e.tenant_uid
    order by key.place`.execute(db)
  return rows
}

async function readDeliveries(db: Kysely<Schema>, event: EventKey): Promise<DeliveryView[]> {
  const { rows } = await sql<DeliveryView>`
    select n.id as "destinationId", n.type as "destinationType", d.status, d.reason, d.attempts,
      case when not d.leased then d.due_at end as "nextAttemptAt"
    from deliveries d
    join destinations n on n.uid = d.destination_uid
    where d.event_uid = ${event.uid}::uuid and d.received_at = ${event.received_at}::timestamptz
    order by n.created_at, n.uid`.execute(db)
  return rows
}

import { type Static, Type } from 'typebox'
import type { DeliveryView, EventView as StoredEvent } from '@postrider/store'
import { withMember } from '../http/json-members.ts'
import { Pagination } from '../http/pagination.ts'
import { nullable, PublicId, StringMap, Time } from '../http/schemas.ts'

const EVENT_STATUSES = ['success', 'failed', 'pending', 'skipped', 'unmatched'] as const

export const EventStatus = Type.Enum([...EVENT_STATUSES])

const MEMBERS = {
  id: Type.String(),
  tenant_id: PublicId,
  topic: Type.String(),
  time: Time,
  metadata: StringMap,
  eligible_for_retry: Type.Boolean(),
  matched_destination_ids: Type.Array(PublicId),
  status: EventStatus,
  created_at: Time,
}

const Data = Type.Object({}, { description: 'As published, byte for byte.' })

/** An event in answers (API.md section 4). */
const EventView = Type.Object(
  { ...MEMBERS, data: Data },
  { title: 'Event', additionalProperties: false },
)

/** The event of an attempt, whose data only comes when it is asked for. */
export const IncludedEvent = Type.Object(
  { ...MEMBERS, data: Type.Optional(Data) },
  { title: 'IncludedEvent', additionalProperties: false },
)

const EventDelivery = Type.Object(
  {
    destination_id: PublicId,
    destination_type: Type.String(),
    status: Type.Enum(['pending', 'success', 'failed', 'skipped']),
    reason: nullable(Type.String()),
    attempts: Type.Integer({ minimum: 0 }),
    next_attempt_at: nullable(Time),
  },
  { title: 'EventDelivery', additionalProperties: false },
)

/** One event with what became of it. */
export const SingleEvent = Type.Object(
  { ...MEMBERS, data: Data, deliveries: Type.Array(EventDelivery) },
  { title: 'EventWithDeliveries', additionalProperties: false },
)

export const EventPage = Type.Object(
  { models: Type.Array(EventView), pagination: Pagination },
  { title: 'EventPage', additionalProperties: false },
)

/** The JSON text of an event, around the bytes of its data: parsed and written again they would change. */
export function eventText(event: StoredEvent): string {
  const text = JSON.stringify(members(event))
  return event.data === null ? text : withMember(text, 'data', event.data.toString('utf8'))
}

export function singleEventText(event: StoredEvent, deliveries: readonly DeliveryView[]): string {
  return withMember(eventText(event), 'deliveries', JSON.stringify(deliveries.map(eventDelivery)))
}

function members(event: StoredEvent): Omit<Static<typeof EventView>, 'data'> {
  return {
    id: event.id,
    tenant_id: event.tenantId,
    topic: event.topic,
    time: event.time.toISOString(),
    metadata: event.metadata,
    eligible_for_retry: event.isEligibleForRetry,
    matched_destination_ids: [...event.matchedDestinationIds],
    status: event.status,
    created_at: event.createdAt.toISOString(),
  }
}

function eventDelivery(delivery: DeliveryView): Static<typeof EventDelivery> {
  return {
    destination_id: delivery.destinationId,
    destination_type: delivery.destinationType,
    status: delivery.status,
    reason: delivery.reason,
    attempts: delivery.attempts,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
  }
}

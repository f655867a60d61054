import { type Static, Type } from 'typebox'
import type { DeliveryView, EventView as StoredEvent } from '@postrider/store'
import { withMember } from '../http/json-members.ts'
import { Pagination } from '../http/pagination.ts'
import { EventId, nullable, PublicId, StringMap, Time } from '../http/schemas.ts'

const EVENT_STATUSES = ['success', 'failed', 'pending', 'skipped', 'unmatched'] as const

export const EventStatus = Type.Enum([...EVENT_STATUSES], {
  description:
    '`failed` if a delivery failed, else `pending` if one waits, else `success` if one succeeded, else `skipped`; `unmatched` without deliveries.',
})

const MEMBERS = {
  id: EventId,
  tenant_id: PublicId,
  topic: Type.String(),
  time: Time,
  metadata: StringMap,
  eligible_for_retry: Type.Boolean({ description: 'Failed deliveries are tried again.' }),
  matched_destination_ids: Type.Array(PublicId, {
    description: 'Every destination that got a delivery when it was published.',
  }),
  status: EventStatus,
  created_at: Time,
}

const Data = Type.Object({}, { description: 'As published, byte for byte.' })

const EXAMPLE = {
  id: 'evt_order_1',
  tenant_id: 'acme',
  topic: 'order.created',
  time: '2026-11-21T12:00:00.000Z',
  metadata: { source: 'shop' },
  eligible_for_retry: true,
  matched_destination_ids: ['des_orders'],
  status: 'success',
  created_at: '2026-11-21T12:00:00.100Z',
  data: { order: 1, total: 99.5 },
}

/** An event in answers (docs/api.md). */
export const EventView = Type.Object(
  { ...MEMBERS, data: Data },
  { title: 'Event', additionalProperties: false, examples: [EXAMPLE] },
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
    reason: nullable(
      Type.String({ description: 'Why it was skipped, or will not be tried again.' }),
    ),
    attempts: Type.Integer({ minimum: 0 }),
    next_attempt_at: nullable(Time),
  },
  { title: 'EventDelivery', additionalProperties: false },
)

/** One event with what became of it. */
export const SingleEvent = Type.Object(
  { ...MEMBERS, data: Data, deliveries: Type.Array(EventDelivery) },
  {
    title: 'EventWithDeliveries',
    additionalProperties: false,
    examples: [
      {
        ...EXAMPLE,
        deliveries: [
          {
            destination_id: 'des_orders',
            destination_type: 'webhook',
            status: 'success',
            reason: null,
            attempts: 1,
            next_attempt_at: null,
          },
        ],
      },
    ],
  },
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

import { Type } from 'typebox'
import { findDestinationEvent, listDestinationEvents } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { missing } from '../destinations/missing.ts'
import { JsonText } from '../http/json-text.ts'
import { anyOf, listAnswer, ListParameters, timeBoundsOf } from '../http/list-query.ts'
import { pageRequestOf } from '../http/pagination.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { DestinationParams, EventId } from '../http/schemas.ts'
import { EventPage, eventText, EventView } from './event-view.ts'
import { eventNotFound } from './get-event.ts'
import { inBoth } from './list-events.ts'

const DESCRIPTION =
  '`status` is that of the delivery to this destination, whatever became of others.'

const Query = Type.Object(
  {
    ...ListParameters,
    topic: anyOf('With one of these topics.'),
    id: anyOf('With one of these ids.'),
    event_id: anyOf('The same as `id`; given both, both hold.'),
    status: Type.Optional(
      Type.Enum(['success', 'failed', 'pending', 'skipped'], {
        description: 'Whose delivery to this destination has this status.',
      }),
    ),
  },
  { additionalProperties: false },
)

export function listDestinationEventsRoute({ store }: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/tenants/:tenant_id/destinations/:destination_id/events',
    access: 'tenant',
    operationId: 'listDestinationEvents',
    summary: 'List the events that have a delivery to a destination',
    description: DESCRIPTION,
    tag: 'Events',
    isDeprecated: true,
    successor: '/tenants/:tenant_id/events?destination_id=:destination_id',
    params: DestinationParams,
    query: Query,
    responses: { 200: EventPage },
    errors: ['tenant_not_found', 'destination_not_found'],
    handle: async ({ params: { tenant_id: tenantId, destination_id: id }, query }) => {
      const list = `events of ${tenantId} at ${id}`
      const request = pageRequestOf(list, query)
      const filter = {
        topics: query.topic ?? null,
        ids: inBoth(query.id, query.event_id),
        deliveryStatus: query.status ?? null,
        bounds: timeBoundsOf(query),
      }
      const answer = await listDestinationEvents(store, { tenantId, id }, filter, request)
      if (answer.kind !== 'found') throw missing(answer.kind, { tenantId, id })
      const { page } = answer
      return { status: 200, body: listAnswer(list, request, page, page.items.map(eventText)) }
    },
  })
}

export function getDestinationEventRoute({ store }: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/tenants/:tenant_id/destinations/:destination_id/events/:event_id',
    access: 'tenant',
    operationId: 'getDestinationEvent',
    summary: 'Get an event that has a delivery to a destination',
    description: DESCRIPTION,
    tag: 'Events',
    isDeprecated: true,
    successor: '/tenants/:tenant_id/events/:event_id',
    params: Type.Object({ ...DestinationParams.properties, event_id: EventId }),
    responses: { 200: EventView },
    errors: ['tenant_not_found', 'destination_not_found', 'event_not_found'],
    handle: async ({ params: { tenant_id: tenantId, destination_id: id, event_id: eventId } }) => {
      const found = await findDestinationEvent(store, { tenantId, id }, eventId)
      switch (found.kind) {
        case 'found':
          return { status: 200, body: new JsonText(eventText(found.event)) }
        case 'event_not_found':
          throw eventNotFound(eventId)
        case 'tenant_not_found':
        case 'destination_not_found':
          throw missing(found.kind, { tenantId, id })
      }
    },
  })
}

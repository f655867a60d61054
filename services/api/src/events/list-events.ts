import { type Static, Type } from 'typebox'
import { listEvents } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import type { JsonText } from '../http/json-text.ts'
import { anyOf, listAnswer, ListParameters, timeBoundsOf } from '../http/list-query.ts'
import { pageRequestOf } from '../http/pagination.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { TenantParams } from '../http/schemas.ts'
import { requireTenant, tenantScope } from '../http/tenant-scope.ts'
import { EventPage, EventStatus, eventText } from './event-view.ts'

const FILTERS = {
  destination_id: anyOf('With a delivery to one of these destinations.'),
  topic: anyOf('With one of these topics.'),
  id: anyOf('With one of these ids.'),
  event_id: anyOf('The same as `id`; given both, both hold.'),
  status: Type.Optional(
    Type.Enum(EventStatus.enum, { description: 'With this status over all their deliveries.' }),
  ),
}

const TenantQuery = Type.Object({ ...ListParameters, ...FILTERS }, { additionalProperties: false })

const Query = Type.Object(
  { ...ListParameters, ...FILTERS, tenant_id: anyOf('Of one of these tenants.') },
  { additionalProperties: false },
)

export function listEventsRoute(context: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/events',
    access: 'tenant',
    operationId: 'listEvents',
    summary: 'List events, of all tenants or of some',
    description: 'An event is in the list as soon as its publish was answered.',
    tag: 'Events',
    query: Query,
    responses: { 200: EventPage },
    handle: async ({ caller, query }) => ({
      status: 200,
      body: await answer(context, 'events', tenantScope(caller, query.tenant_id), query),
    }),
  })
}

export function listTenantEventsRoute(context: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/tenants/:tenant_id/events',
    access: 'tenant',
    operationId: 'listTenantEvents',
    summary: 'List the events of a tenant',
    description: 'An event is in the list as soon as its publish was answered.',
    tag: 'Events',
    params: TenantParams,
    query: TenantQuery,
    responses: { 200: EventPage },
    errors: ['tenant_not_found'],
    handle: async ({ params: { tenant_id }, query }) => {
      await requireTenant(context.store, tenant_id)
      return {
        status: 200,
        body: await answer(context, `events of ${tenant_id}`, [tenant_id], query),
      }
    },
  })
}

async function answer(
  { store }: ApiContext,
  list: string,
  tenantIds: readonly string[] | null,
  query: Static<typeof TenantQuery>,
): Promise<JsonText> {
  const request = pageRequestOf(list, query)
  const filter = {
    tenantIds,
    destinationIds: query.destination_id ?? null,
    deliveryStatus: null,
    topics: query.topic ?? null,
    ids: inBoth(query.id, query.event_id),
    status: query.status ?? null,
    bounds: timeBoundsOf(query),
  }
  const page = await listEvents(store, filter, request)
  return listAnswer(list, request, page, page.items.map(eventText))
}

/** In a list of events `id` and `event_id` name the same thing, and both must hold. */
export function inBoth(
  ids: readonly string[] | undefined,
  eventIds: readonly string[] | undefined,
): readonly string[] | null {
  if (ids === undefined || eventIds === undefined) return ids ?? eventIds ?? null
  return ids.filter((id) => eventIds.includes(id))
}

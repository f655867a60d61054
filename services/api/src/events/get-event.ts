import { Type } from 'typebox'
import { findEvent, type FoundEvent } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { ApiError, validationError } from '../http/errors.ts'
import { JsonText } from '../http/json-text.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { EventId, TenantId, TenantParams } from '../http/schemas.ts'
import { requireTenant, tenantScope } from '../http/tenant-scope.ts'
import { SingleEvent, singleEventText } from './event-view.ts'

const EventParams = Type.Object({ event_id: EventId })

export function getEventRoute({ store }: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/events/:event_id',
    access: 'tenant',
    operationId: 'getEvent',
    summary: 'Get an event and what became of it',
    description:
      'Ids are unique within a tenant. For the administrator, an id that several tenants have needs `tenant_id`.',
    tag: 'Events',
    params: EventParams,
    query: Type.Object({ tenant_id: Type.Optional(TenantId) }, { additionalProperties: false }),
    responses: { 200: SingleEvent },
    errors: ['event_not_found'],
    handle: async ({ caller, params, query }) => {
      const asked = query.tenant_id === undefined ? undefined : [query.tenant_id]
      const tenantId = tenantScope(caller, asked)?.[0] ?? null
      const found = await findEvent(store, { id: params.event_id, tenantId })
      return { status: 200, body: answer(found, params.event_id) }
    },
  })
}

export function getTenantEventRoute({ store }: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/tenants/:tenant_id/events/:event_id',
    access: 'tenant',
    operationId: 'getTenantEvent',
    summary: 'Get an event of a tenant and what became of it',
    tag: 'Events',
    params: Type.Object({ ...TenantParams.properties, ...EventParams.properties }),
    responses: { 200: SingleEvent },
    errors: ['tenant_not_found', 'event_not_found'],
    handle: async ({ params: { tenant_id: tenantId, event_id: id } }) => {
      const found = await findEvent(store, { id, tenantId })
      if (found.kind === 'none') await requireTenant(store, tenantId)
      return { status: 200, body: answer(found, id) }
    },
  })
}

function answer(found: FoundEvent, id: string): JsonText {
  switch (found.kind) {
    case 'found':
      return new JsonText(singleEventText(found.event, found.deliveries))
    case 'none':
      throw eventNotFound(id)
    case 'ambiguous':
      throw tenantRequired()
  }
}

export function eventNotFound(id: string): ApiError {
  return new ApiError('event_not_found', `there is no event ${id}`)
}

/** Several tenants have an event of the id that was named. */
export function tenantRequired(): ApiError {
  return validationError(['tenant_id is required: several tenants have an event with this id'])
}

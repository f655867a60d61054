import { Type } from 'typebox'
import { findEvent, listAttempts } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { eventNotFound } from '../events/get-event.ts'
import { JsonText } from '../http/json-text.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { EventId, TenantParams } from '../http/schemas.ts'
import { requireTenant } from '../http/tenant-scope.ts'
import { attemptTexts } from './attempt-texts.ts'
import { AttemptView } from './attempt-view.ts'
import { readInclude } from './include.ts'

/** The list has no pages, so it must have an end. */
const MAX_ATTEMPTS = 1000

const NEWEST = { limit: MAX_ATTEMPTS, dir: 'desc', from: null } as const
const BARE = { response: false, event: 'no' } as const

export function listEventDeliveriesRoute(context: ApiContext): Route {
  const { store } = context
  return defineRoute({
    method: 'GET',
    path: '/tenants/:tenant_id/events/:event_id/deliveries',
    access: 'tenant',
    operationId: 'listEventDeliveries',
    summary: 'List the attempts to deliver an event, the newest first',
    description: `The newest ${MAX_ATTEMPTS}, if there are more.`,
    tag: 'Attempts',
    isDeprecated: true,
    successor: '/attempts?tenant_id=:tenant_id&event_id=:event_id',
    params: Type.Object({ ...TenantParams.properties, event_id: EventId }),
    responses: { 200: Type.Array(AttemptView) },
    errors: ['tenant_not_found', 'event_not_found'],
    handle: async ({ params: { tenant_id: tenantId, event_id: eventId } }) => {
      const filter = {
        tenantIds: [tenantId],
        destinationIds: null,
        eventIds: [eventId],
        uids: null,
        topics: null,
        status: null,
        bounds: [],
      }
      const { items } = await listAttempts(store, filter, BARE, NEWEST)
      if (items.length === 0) {
        const event = await findEvent(store, { id: eventId, tenantId })
        if (event.kind !== 'found') {
          await requireTenant(store, tenantId)
          throw eventNotFound(eventId)
        }
      }
      const texts = await attemptTexts(context, items, readInclude())
      return { status: 200, body: new JsonText(`[${texts.join(',')}]`) }
    },
  })
}

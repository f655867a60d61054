import type { ApiContext } from '../context.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { DestinationParams } from '../http/schemas.ts'
import { applyChange } from './change.ts'
import { DestinationView } from './destination-view.ts'

export function enableDestinationRoute(context: ApiContext): Route {
  return defineRoute({
    method: 'PUT',
    path: '/tenants/:tenant_id/destinations/:destination_id/enable',
    access: 'tenant',
    operationId: 'enableDestination',
    summary: 'Enable a destination; nothing happens when it is enabled',
    description: 'What was skipped meanwhile stays skipped, and can be retried.',
    tag: 'Destinations',
    params: DestinationParams,
    responses: { 200: DestinationView },
    errors: ['tenant_not_found', 'destination_not_found'],
    handle: async ({ params }) => {
      const body = await applyChange(context, params, (current) => ({
        ...current,
        disabledAt: null,
      }))
      return { status: 200, body }
    },
  })
}

export function disableDestinationRoute(context: ApiContext): Route {
  return defineRoute({
    method: 'PUT',
    path: '/tenants/:tenant_id/destinations/:destination_id/disable',
    access: 'tenant',
    operationId: 'disableDestination',
    summary: 'Disable a destination; the time of the first time is kept',
    description: 'Nothing more is sent to it, and what waits for it is skipped.',
    tag: 'Destinations',
    params: DestinationParams,
    responses: { 200: DestinationView },
    errors: ['tenant_not_found', 'destination_not_found'],
    handle: async ({ params }) => {
      const body = await applyChange(context, params, (current, now) => ({
        ...current,
        disabledAt: current.disabledAt ?? now,
      }))
      return { status: 200, body }
    },
  })
}

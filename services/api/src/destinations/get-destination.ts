import { getDestination } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { DestinationParams } from '../http/schemas.ts'
import { DestinationView, destinationView } from './destination-view.ts'
import { missing } from './missing.ts'

export function getDestinationRoute({ store, registry }: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/tenants/:tenant_id/destinations/:destination_id',
    access: 'tenant',
    operationId: 'getDestination',
    summary: 'Get a destination',
    description:
      'Sensitive credentials are masked; the secrets of a webhook are shown, since its receiver needs them.',
    tag: 'Destinations',
    params: DestinationParams,
    responses: { 200: DestinationView },
    errors: ['tenant_not_found', 'destination_not_found'],
    handle: async ({ params }) => {
      const name = { tenantId: params.tenant_id, id: params.destination_id }
      const answer = await getDestination(store, name)
      if (answer.kind !== 'found') throw missing(answer.kind, name)
      return { status: 200, body: destinationView(answer.destination, registry, Date.now()) }
    },
  })
}

import { deleteDestination } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { DestinationParams, SUCCESS, Success } from '../http/schemas.ts'
import { missing } from './missing.ts'

export function deleteDestinationRoute({ store, state }: ApiContext): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/tenants/:tenant_id/destinations/:destination_id',
    access: 'tenant',
    operationId: 'deleteDestination',
    summary: 'Delete a destination',
    description: 'Its open deliveries are skipped.',
    tag: 'Destinations',
    params: DestinationParams,
    responses: { 200: Success },
    errors: ['tenant_not_found', 'destination_not_found'],
    handle: async ({ params }) => {
      const name = { tenantId: params.tenant_id, id: params.destination_id }
      const answer = await deleteDestination(store, name)
      if (answer.kind !== 'deleted') throw missing(answer.kind, name)
      await state.announce([{ destinationUid: answer.uid }])
      return { status: 200, body: SUCCESS }
    },
  })
}

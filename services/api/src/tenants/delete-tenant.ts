import { deleteTenant } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { tenantNotFound } from '../http/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { SUCCESS, Success, TenantParams } from '../http/schemas.ts'

export function deleteTenantRoute({ store, state }: ApiContext): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/tenants/:tenant_id',
    access: 'admin',
    operationId: 'deleteTenant',
    summary: 'Delete a tenant with its destinations',
    description:
      'Its events leave all lists at once, its open deliveries are skipped, its tokens are void. A tenant that is made again under this id has nothing of it.',
    tag: 'Tenants',
    params: TenantParams,
    responses: { 200: Success },
    errors: ['tenant_not_found'],
    handle: async ({ params }) => {
      const destinationUids = await deleteTenant(store, params.tenant_id)
      if (destinationUids === null) throw tenantNotFound(params.tenant_id)
      await state.announce(destinationUids.map((destinationUid) => ({ destinationUid })))
      return { status: 200, body: SUCCESS }
    },
  })
}

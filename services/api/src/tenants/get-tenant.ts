import { getTenant } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { tenantNotFound } from '../http/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { TenantParams } from '../http/schemas.ts'
import { TenantView, tenantView } from './tenant-view.ts'

export function getTenantRoute({ store }: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/tenants/:tenant_id',
    access: 'tenant',
    operationId: 'getTenant',
    summary: 'Get a tenant',
    tag: 'Tenants',
    params: TenantParams,
    responses: { 200: TenantView },
    errors: ['tenant_not_found'],
    handle: async ({ params }) => {
      const tenant = await getTenant(store, params.tenant_id)
      if (tenant === null) throw tenantNotFound(params.tenant_id)
      return { status: 200, body: tenantView(tenant) }
    },
  })
}

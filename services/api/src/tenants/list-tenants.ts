import { Type } from 'typebox'
import { countTenants, getTenant, listTenants, type Tenant } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { PageParameters, pageRequestOf, Pagination, paginationOf } from '../http/pagination.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { TenantView, tenantView } from './tenant-view.ts'

const Query = Type.Object(PageParameters, { additionalProperties: false })

const TenantsPage = Type.Object(
  {
    models: Type.Array(TenantView),
    pagination: Pagination,
    count: Type.Integer({ minimum: 0, description: 'How many there are in all.', examples: [1] }),
  },
  { title: 'TenantPage', additionalProperties: false },
)

const LIST = 'tenants'

export function listTenantsRoute({ store }: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/tenants',
    access: 'tenant',
    operationId: 'listTenants',
    summary: 'List tenants, the newest first; a tenant sees itself alone',
    tag: 'Tenants',
    query: Query,
    responses: { 200: TenantsPage },
    handle: async ({ caller, query }) => {
      const request = pageRequestOf(LIST, query)
      const [page, count] =
        caller.kind === 'tenant'
          ? pageOfOne(await getTenant(store, caller.tenantId))
          : await Promise.all([listTenants(store, request), countTenants(store)])
      return {
        status: 200,
        body: {
          models: page.items.map(tenantView),
          pagination: paginationOf(LIST, request, page, 'created_at'),
          count,
        },
      }
    },
  })
}

function pageOfOne(
  tenant: Tenant | null,
): [page: { items: readonly Tenant[]; next: null; prev: null }, count: number] {
  const items = tenant === null ? [] : [tenant]
  return [{ items, next: null, prev: null }, items.length]
}

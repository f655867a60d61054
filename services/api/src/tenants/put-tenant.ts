import { Type } from 'typebox'
import { newUid } from '@postrider/common'
import { putTenant } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { Metadata, metadataFaults } from '../http/metadata.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { TenantParams } from '../http/schemas.ts'
import { TenantView, tenantView } from './tenant-view.ts'

const Body = Type.Object(
  { metadata: Type.Optional(Metadata) },
  {
    title: 'TenantRequest',
    additionalProperties: false,
    examples: [{ metadata: { plan: 'pro' } }],
  },
)

export function putTenantRoute({ store }: ApiContext): Route {
  return defineRoute({
    method: 'PUT',
    path: '/tenants/:tenant_id',
    access: 'admin',
    operationId: 'putTenant',
    summary: 'Make a tenant, or replace its metadata',
    description: 'Without a body, or without `metadata`, its metadata is empty afterwards.',
    tag: 'Tenants',
    params: TenantParams,
    body: Body,
    isBodyOptional: true,
    responses: { 200: TenantView, 201: TenantView },
    check: (body) => metadataFaults('metadata', (body as { metadata?: unknown } | null)?.metadata),
    handle: async ({ params, body }) => {
      const { tenant, created } = await putTenant(store, {
        uid: newUid(),
        id: params.tenant_id,
        metadata: body?.metadata ?? {},
      })
      return created
        ? { status: 201, body: tenantView(tenant) }
        : { status: 200, body: tenantView(tenant) }
    },
  })
}

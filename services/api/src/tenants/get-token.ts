import { Type } from 'typebox'
import type { ApiContext } from '../context.ts'
import { tenantNotFound } from '../http/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { PublicId, TenantParams } from '../http/schemas.ts'

const TenantToken = Type.Object(
  {
    token: Type.String({ description: 'A JSON Web Token, valid for 24 hours.' }),
    tenant_id: PublicId,
  },
  {
    title: 'TenantToken',
    additionalProperties: false,
    examples: [{ token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhY21lIn0.c2ln', tenant_id: 'acme' }],
  },
)

export function getTokenRoute({ tokens }: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/tenants/:tenant_id/token',
    access: 'admin',
    operationId: 'getTenantToken',
    summary: 'Issue a token with which the tenant can call the API itself, for 24 hours',
    tag: 'Tenants',
    params: TenantParams,
    responses: { 200: TenantToken },
    errors: ['tenant_not_found'],
    handle: async ({ params: { tenant_id: tenantId } }) => {
      const token = await tokens.issue(tenantId)
      if (token === null) throw tenantNotFound(tenantId)
      return { status: 200, body: { token, tenant_id: tenantId } }
    },
  })
}

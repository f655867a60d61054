import { type Static, Type } from 'typebox'
import type { ApiContext } from '../context.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { TenantParams } from '../http/schemas.ts'
import { requireTenant } from '../http/tenant-scope.ts'

const Topics = Type.Array(Type.String(), { examples: [['order.created', 'order.paid']] })

const DESCRIPTION =
  'Those that the operator has configured. None: events may have any topic, or no topic.'

export function topicRoutes({ config, store }: ApiContext): readonly Route[] {
  const topics: Static<typeof Topics> = [...config.api.topics]
  return [
    defineRoute({
      method: 'GET',
      path: '/topics',
      access: 'tenant',
      operationId: 'listTopics',
      summary: 'List the topics that events can have',
      description: DESCRIPTION,
      tag: 'Destinations',
      responses: { 200: Topics },
      handle: async () => ({ status: 200, body: topics }),
    }),
    defineRoute({
      method: 'GET',
      path: '/tenants/:tenant_id/topics',
      access: 'tenant',
      operationId: 'listTenantTopics',
      summary: 'List the topics that the events of a tenant can have',
      description: DESCRIPTION,
      tag: 'Destinations',
      params: TenantParams,
      responses: { 200: Topics },
      errors: ['tenant_not_found'],
      handle: async ({ params }) => {
        await requireTenant(store, params.tenant_id)
        return { status: 200, body: topics }
      },
    }),
  ]
}

import { Type } from 'typebox'
import { matchesTopic } from '@postrider/common'
import { listDestinations, type StoredDestination } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { tenantNotFound } from '../http/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { TenantParams } from '../http/schemas.ts'
import { DestinationView, destinationView } from './destination-view.ts'

const Query = Type.Object(
  {
    type: Type.Optional(
      Type.Array(Type.String(), { description: 'Of one of these types.', examples: [['webhook']] }),
    ),
    topics: Type.Optional(
      Type.Array(Type.String(), {
        description: 'That get all of these topics.',
        examples: [['order.created']],
      }),
    ),
  },
  { additionalProperties: false },
)

export function listDestinationsRoute({ store, registry }: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/tenants/:tenant_id/destinations',
    access: 'tenant',
    operationId: 'listDestinations',
    summary: "List a tenant's destinations, the oldest first",
    description: 'All of them at once, not in pages.',
    tag: 'Destinations',
    params: TenantParams,
    query: Query,
    responses: { 200: Type.Array(DestinationView) },
    errors: ['tenant_not_found'],
    handle: async ({ params, query: { type: types, topics = [] } }) => {
      const destinations = await listDestinations(store, params.tenant_id)
      if (destinations === null) throw tenantNotFound(params.tenant_id)
      const wanted = destinations.filter(
        (destination) =>
          (types === undefined || types.includes(destination.type)) && covers(destination, topics),
      )
      const nowMs = Date.now()
      return { status: 200, body: wanted.map((each) => destinationView(each, registry, nowMs)) }
    },
  })
}

/** A wildcard that is asked for is covered by the same one, and by `*`. */
function covers(destination: StoredDestination, topics: readonly string[]): boolean {
  return topics.every((topic) => matchesTopic(destination.topics, topic))
}

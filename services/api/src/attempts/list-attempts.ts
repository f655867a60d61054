import { Type } from 'typebox'
import { attemptUidOf } from '@postrider/common'
import { listAttempts } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { AnyOf, listAnswer, ListParameters, timeBoundsOf } from '../http/list-query.ts'
import { pageRequestOf } from '../http/pagination.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { tenantScope } from '../http/tenant-scope.ts'
import { attemptTexts } from './attempt-texts.ts'
import { AttemptPage } from './attempt-view.ts'
import { Include, readInclude } from './include.ts'

const LIST = 'attempts'

const Query = Type.Object(
  {
    ...ListParameters,
    tenant_id: AnyOf,
    destination_id: AnyOf,
    topic: AnyOf,
    id: AnyOf,
    event_id: AnyOf,
    status: Type.Optional(Type.Enum(['success', 'failed'])),
    include: Include,
  },
  { additionalProperties: false },
)

export function listAttemptsRoute(context: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/attempts',
    access: 'tenant',
    operationId: 'listAttempts',
    summary: 'List attempts, of all tenants or of some',
    query: Query,
    responses: { 200: AttemptPage },
    handle: async ({ caller, query }) => {
      const request = pageRequestOf(LIST, query)
      const included = readInclude(query.include)
      const filter = {
        tenantIds: tenantScope(caller, query.tenant_id),
        destinationIds: query.destination_id ?? null,
        eventIds: query.event_id ?? null,
        uids: query.id === undefined ? null : uidsOf(query.id),
        topics: query.topic ?? null,
        status: query.status ?? null,
        bounds: timeBoundsOf(query),
      }
      const parts = { response: included.responseData, event: included.event }
      const page = await listAttempts(context.store, filter, parts, request)
      const models = await attemptTexts(context, page.items, included)
      return { status: 200, body: listAnswer(LIST, request, page, models) }
    },
  })
}

/** What is not the id of an attempt is the id of none. */
function uidsOf(ids: readonly string[]): string[] {
  return ids.map(attemptUidOf).filter((uid) => uid !== null)
}

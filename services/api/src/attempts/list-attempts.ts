import { type Static, Type } from 'typebox'
import { attemptUidOf } from '@postrider/common'
import { listAttempts } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { requireDestination } from '../destinations/require-destination.ts'
import type { JsonText } from '../http/json-text.ts'
import { anyOf, listAnswer, ListParameters, timeBoundsOf } from '../http/list-query.ts'
import { pageRequestOf } from '../http/pagination.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { DestinationParams } from '../http/schemas.ts'
import { tenantScope } from '../http/tenant-scope.ts'
import { attemptTexts } from './attempt-texts.ts'
import { AttemptPage } from './attempt-view.ts'
import { Include, readInclude } from './include.ts'

const FILTERS = {
  topic: anyOf('Of events with one of these topics.'),
  id: anyOf('With one of these ids.'),
  event_id: anyOf('Of one of these events.'),
  status: Type.Optional(Type.Enum(['success', 'failed'], { description: 'How they ended.' })),
  include: Include,
}

const DestinationQuery = Type.Object(
  { ...ListParameters, ...FILTERS },
  { additionalProperties: false },
)

const Query = Type.Object(
  {
    ...ListParameters,
    tenant_id: anyOf('Of one of these tenants.'),
    destination_id: anyOf('To one of these destinations.'),
    ...FILTERS,
  },
  { additionalProperties: false },
)

const DESCRIPTION = 'An attempt is in the list as soon as its result is kept.'

export function listAttemptsRoute(context: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/attempts',
    access: 'tenant',
    operationId: 'listAttempts',
    summary: 'List attempts, of all tenants or of some',
    description: DESCRIPTION,
    tag: 'Attempts',
    query: Query,
    responses: { 200: AttemptPage },
    handle: async ({ caller, query }) => {
      const scope = {
        list: 'attempts',
        tenantIds: tenantScope(caller, query.tenant_id),
        destinationIds: query.destination_id ?? null,
      }
      return { status: 200, body: await answer(context, scope, query) }
    },
  })
}

export function listDestinationAttemptsRoute(context: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/tenants/:tenant_id/destinations/:destination_id/attempts',
    access: 'tenant',
    operationId: 'listDestinationAttempts',
    summary: 'List the attempts to deliver to a destination',
    description: DESCRIPTION,
    tag: 'Attempts',
    params: DestinationParams,
    query: DestinationQuery,
    responses: { 200: AttemptPage },
    errors: ['tenant_not_found', 'destination_not_found'],
    handle: async ({ params: { tenant_id: tenantId, destination_id: id }, query }) => {
      await requireDestination(context.store, { tenantId, id })
      const scope = {
        list: `attempts of ${tenantId} at ${id}`,
        tenantIds: [tenantId],
        destinationIds: [id],
      }
      return { status: 200, body: await answer(context, scope, query) }
    },
  })
}

interface Scope {
  /** Names the list in its cursors. */
  readonly list: string
  readonly tenantIds: readonly string[] | null
  readonly destinationIds: readonly string[] | null
}

async function answer(
  context: ApiContext,
  { list, ...scope }: Scope,
  query: Static<typeof DestinationQuery>,
): Promise<JsonText> {
  const request = pageRequestOf(list, query)
  const included = readInclude(query.include)
  const filter = {
    ...scope,
    eventIds: query.event_id ?? null,
    uids: query.id === undefined ? null : uidsOf(query.id),
    topics: query.topic ?? null,
    status: query.status ?? null,
    bounds: timeBoundsOf(query),
  }
  const parts = { response: included.responseData, event: included.event }
  const page = await listAttempts(context.store, filter, parts, request)
  return listAnswer(list, request, page, await attemptTexts(context, page.items, included))
}

/** What is not the id of an attempt is the id of none. */
function uidsOf(ids: readonly string[]): string[] {
  return ids.map(attemptUidOf).filter((uid) => uid !== null)
}

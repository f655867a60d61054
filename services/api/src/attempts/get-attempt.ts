import { type Static, Type } from 'typebox'
import { attemptUidOf } from '@postrider/common'
import { type AttemptView as StoredAttempt, findAttempt } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { requireDestination } from '../destinations/require-destination.ts'
import { ApiError } from '../http/errors.ts'
import { JsonText } from '../http/json-text.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { DestinationParams } from '../http/schemas.ts'
import { attemptTexts } from './attempt-texts.ts'
import { AttemptId, AttemptView } from './attempt-view.ts'
import { Include, readInclude } from './include.ts'

const Query = Type.Object({ include: Include }, { additionalProperties: false })

export function getAttemptRoute(context: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/attempts/:attempt_id',
    access: 'tenant',
    operationId: 'getAttempt',
    summary: 'Get an attempt',
    tag: 'Attempts',
    params: Type.Object({ attempt_id: AttemptId }),
    query: Query,
    responses: { 200: AttemptView },
    errors: ['attempt_not_found'],
    handle: async ({ caller, params: { attempt_id: id }, query }) => {
      const isWanted = (attempt: StoredAttempt): boolean =>
        caller.kind !== 'tenant' || attempt.tenantId === caller.tenantId
      return { status: 200, body: await answer(context, { id, isWanted }, query) }
    },
  })
}

export function getDestinationAttemptRoute(context: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/tenants/:tenant_id/destinations/:destination_id/attempts/:attempt_id',
    access: 'tenant',
    operationId: 'getDestinationAttempt',
    summary: 'Get an attempt to deliver to a destination',
    tag: 'Attempts',
    params: Type.Object({ ...DestinationParams.properties, attempt_id: AttemptId }),
    query: Query,
    responses: { 200: AttemptView },
    errors: ['tenant_not_found', 'destination_not_found', 'attempt_not_found'],
    handle: async ({ params, query }) => {
      const name = { tenantId: params.tenant_id, id: params.destination_id }
      const uid = await requireDestination(context.store, name)
      const isWanted = ({ destinationUid }: StoredAttempt): boolean => destinationUid === uid
      return {
        status: 200,
        body: await answer(context, { id: params.attempt_id, isWanted }, query),
      }
    },
  })
}

interface Wanted {
  readonly id: string
  /** One that is not is not found, as far as this caller knows. */
  readonly isWanted: (attempt: StoredAttempt) => boolean
}

async function answer(
  context: ApiContext,
  { id, isWanted }: Wanted,
  query: Static<typeof Query>,
): Promise<JsonText> {
  const included = readInclude(query.include)
  const parts = { response: included.responseData, event: included.event }
  const uid = attemptUidOf(id)
  const attempt = uid === null ? null : await findAttempt(context.store, uid, parts)
  if (attempt === null || !isWanted(attempt)) {
    throw new ApiError('attempt_not_found', `there is no attempt ${id}`)
  }
  const [text = ''] = await attemptTexts(context, [attempt], included)
  return new JsonText(text)
}

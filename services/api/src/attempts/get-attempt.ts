import { Type } from 'typebox'
import { attemptUidOf } from '@postrider/common'
import { findAttempt } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { ApiError } from '../http/errors.ts'
import { JsonText } from '../http/json-text.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { attemptTexts } from './attempt-texts.ts'
import { AttemptView } from './attempt-view.ts'
import { Include, readInclude } from './include.ts'

export function getAttemptRoute(context: ApiContext): Route {
  return defineRoute({
    method: 'GET',
    path: '/attempts/:attempt_id',
    access: 'tenant',
    operationId: 'getAttempt',
    summary: 'Get an attempt',
    params: Type.Object({ attempt_id: Type.String() }),
    query: Type.Object({ include: Include }, { additionalProperties: false }),
    responses: { 200: AttemptView },
    handle: async ({ caller, params: { attempt_id: id }, query }) => {
      const included = readInclude(query.include)
      const parts = { response: included.responseData, event: included.event }
      const uid = attemptUidOf(id)
      const attempt = uid === null ? null : await findAttempt(context.store, uid, parts)
      const isOthers = caller.kind === 'tenant' && attempt?.tenantId !== caller.tenantId
      if (attempt === null || isOthers) {
        throw new ApiError('attempt_not_found', `there is no attempt ${id}`)
      }
      const [text = ''] = await attemptTexts(context, [attempt], included)
      return { status: 200, body: new JsonText(text) }
    },
  })
}

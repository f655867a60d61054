import { Type } from 'typebox'
import { type ManualRetryAnswer, retryByHand } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { eventNotFound, tenantRequired } from '../events/get-event.ts'
import { ApiError, destinationNotFound, validationError } from '../http/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { PublicId, SUCCESS, Success } from '../http/schemas.ts'
import { tenantScope } from '../http/tenant-scope.ts'

const Body = Type.Object(
  {
    event_id: Type.String(),
    destination_id: PublicId,
    tenant_id: Type.Optional(PublicId),
  },
  { additionalProperties: false },
)

export function retryRoute({ store }: ApiContext): Route {
  return defineRoute({
    method: 'POST',
    path: '/retry',
    access: 'tenant',
    operationId: 'retryDelivery',
    summary: 'Make an attempt to deliver an event to a destination now',
    body: Body,
    responses: { 202: Success },
    handle: async ({ caller, body }) => {
      const { event_id: eventId, destination_id: destinationId, tenant_id } = body
      const tenantId = tenantScope(caller, tenant_id === undefined ? undefined : [tenant_id])?.[0]
      const answer = await retryByHand(store, {
        eventId,
        destinationId,
        tenantId: tenantId ?? null,
      })
      const refusal = refusalOf(answer, eventId, destinationId)
      if (refusal !== null) throw refusal
      return { status: 202, body: SUCCESS }
    },
  })
}

function refusalOf(
  answer: ManualRetryAnswer,
  eventId: string,
  destinationId: string,
): ApiError | null {
  switch (answer.kind) {
    case 'accepted':
      return null
    case 'event_not_found':
      return eventNotFound(eventId)
    case 'event_ambiguous':
      return tenantRequired()
    case 'destination_not_found':
      return destinationNotFound(destinationId)
    case 'destination_disabled':
      return new ApiError('destination_disabled', `the destination ${destinationId} is disabled`)
    case 'mismatch':
      return validationError([
        answer.of === 'topic'
          ? 'destination_id names a destination that does not subscribe to the topic of the event'
          : 'destination_id names a destination whose filter the event does not pass',
      ])
  }
}

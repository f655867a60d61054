import { Type } from 'typebox'
import { type ManualRetryAnswer, retryByHand } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { eventNotFound, tenantRequired } from '../events/get-event.ts'
import { ApiError, destinationNotFound, validationError } from '../http/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { DestinationId, EventId, SUCCESS, Success, TenantId } from '../http/schemas.ts'
import { tenantScope } from '../http/tenant-scope.ts'

const Body = Type.Object(
  {
    event_id: EventId,
    destination_id: DestinationId,
    tenant_id: Type.Optional(TenantId),
  },
  { title: 'RetryRequest', additionalProperties: false },
)

export function retryRoute({ store }: ApiContext): Route {
  return defineRoute({
    method: 'POST',
    path: '/retry',
    access: 'tenant',
    operationId: 'retryDelivery',
    summary: 'Make an attempt to deliver an event to a destination now',
    description:
      'Also for a delivery that succeeded or was skipped, and for a destination that the event did not match when it was published but matches now. The administrator names the tenant where several have an event with this id.',
    tag: 'Attempts',
    body: Body,
    responses: { 202: Success },
    errors: ['event_not_found', 'destination_not_found', 'destination_disabled'],
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

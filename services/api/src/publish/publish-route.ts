import { parseRfc3339 } from '@postrider/common'
import { Type } from 'typebox'
import type { ApiContext } from '../context.ts'
import { ApiError, destinationNotFound, tenantNotFound } from '../http/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { dataBytes, publishBody, publishFaults } from './publish-body.ts'
import { OverloadedError } from './publisher.ts'

const Accepted = Type.Object({
  id: Type.String(),
  duplicate: Type.Boolean(),
  destination_ids: Type.Array(Type.String()),
})

export function publishRoute({ config, publisher }: ApiContext): Route {
  const { topics, maxEventDataBytes } = config.api
  return defineRoute({
    method: 'POST',
    path: '/publish',
    access: 'admin',
    operationId: 'publishEvent',
    summary: 'Publish an event',
    body: publishBody(topics),
    responses: { 202: Accepted },
    check: (body, rawBody) => publishFaults(body, rawBody, maxEventDataBytes),
    handle: async ({ body, rawBody }) => {
      const answer = await publisher
        .publish({
          tenantId: body.tenant_id,
          id: body.id ?? null,
          topic: body.topic ?? '',
          destinationId: body.destination_id ?? null,
          isEligibleForRetry: body.eligible_for_retry ?? true,
          timeMs: body.time === undefined ? null : parseRfc3339(body.time),
          metadata: body.metadata ?? {},
          data: dataBytes(rawBody),
          parsedData: body.data,
        })
        .catch(refuseOverload)
      switch (answer.kind) {
        case 'accepted':
          return {
            status: 202,
            body: {
              id: answer.id,
              duplicate: answer.isDuplicate,
              destination_ids: [...answer.destinationIds],
            },
          }
        case 'tenant-not-found':
          throw tenantNotFound(body.tenant_id)
        case 'destination-not-found':
          throw destinationNotFound(body.destination_id ?? '')
        case 'id-conflict':
          throw new ApiError(
            'event_id_conflict',
            'an event with this id and another topic or other data was published before',
          )
      }
    },
  })
}

function refuseOverload(error: unknown): never {
  if (!(error instanceof OverloadedError)) throw error
  throw new ApiError('unavailable', 'too many publishes are waiting, try again later', {
    headers: { 'retry-after': '1' },
    cause: error,
  })
}

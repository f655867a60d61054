import { parseRfc3339 } from '@postrider/common'
import { Type } from 'typebox'
import type { ApiContext } from '../context.ts'
import { ApiError, destinationNotFound, tenantNotFound } from '../http/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { EventId, PublicId } from '../http/schemas.ts'
import { dataBytes, publishBody, publishFaults } from './publish-body.ts'
import { OverloadedError } from './publisher.ts'

const Accepted = Type.Object(
  {
    id: EventId,
    duplicate: Type.Boolean({ description: 'It had been published before; nothing was made.' }),
    destination_ids: Type.Array(PublicId, {
      description: 'Every destination that got a delivery, disabled ones included.',
    }),
  },
  {
    title: 'PublishAnswer',
    additionalProperties: false,
    examples: [{ id: 'evt_order_1', duplicate: false, destination_ids: ['des_orders'] }],
  },
)

export function publishRoute({ config, publisher }: ApiContext): Route {
  const { topics, maxEventDataBytes } = config.api
  return defineRoute({
    method: 'POST',
    path: '/publish',
    access: 'admin',
    operationId: 'publishEvent',
    summary: 'Publish an event',
    description:
      'Once it is answered the event is kept, and will be delivered. An event that matches no destination is kept as `unmatched`.',
    tag: 'Publish',
    body: publishBody(topics),
    responses: { 202: Accepted },
    errors: ['tenant_not_found', 'destination_not_found', 'event_id_conflict'],
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

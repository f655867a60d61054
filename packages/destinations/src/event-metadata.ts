import type { StringMap } from '@postrider/common'
import type { SendRequest } from './destination-type.ts'

/**
 * The metadata that travels with an event: the destination's, over it the event's, over both what the
 * service itself says of the event. `timestamp` is the event's time in Unix seconds, as in webhooks.
 */
export function eventMetadata(request: SendRequest): StringMap {
  return {
    ...request.destination.deliveryMetadata,
    ...request.metadata,
    'event-id': request.eventId,
    topic: request.topic,
    timestamp: String(Math.floor(request.timeMs / 1000)),
  }
}

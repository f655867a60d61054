import type { ServiceBusMessage } from '@azure/service-bus'
import type { SendRequest } from '../destination-type.ts'
import { eventMetadata } from '../event-metadata.ts'

/** Of all properties of a message together, by Service Bus' quotas. */
export const MAX_PROPERTIES_BYTES = 64 * 1024

/** A message, and what it weighs at least. */
export interface BusMessage {
  readonly message: ServiceBusMessage
  readonly bytes: number
}

/** The event as a message; null when its metadata is more than a message can carry. */
export function busMessage(request: SendRequest): BusMessage | null {
  const applicationProperties = eventMetadata(request)
  const propertiesBytes = Object.entries(applicationProperties).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  )
  if (propertiesBytes > MAX_PROPERTIES_BYTES) return null
  const message: ServiceBusMessage = {
    // A Buffer goes out as it is; anything else would be written as JSON.
    body: request.data,
    contentType: 'application/json',
    messageId: request.eventId,
    applicationProperties,
  }
  return { message, bytes: request.data.length + propertiesBytes }
}

import type { StringMap } from '@postrider/common'
import type { SendRequest, SendResult } from '../destination-type.ts'
import { eventMetadata } from '../event-metadata.ts'
import { refused } from '../send-result.ts'
import type { BrokerMessage } from './publish-channel.ts'

/** What amqplib can write; half of a frame, which they have to fit into. */
const MAX_HEADERS_BYTES = 64 * 1024
/** AMQP's own. */
const MAX_NAME_BYTES = 255
/** Of a header besides its name and value, and of all of them. */
const OVERHEAD_BYTES = 6

/** The message of a delivery, or why AMQP cannot carry it. */
export type PreparedMessage =
  | { readonly kind: 'ready'; readonly message: BrokerMessage }
  | { readonly kind: 'refused'; readonly result: SendResult }

export function brokerMessage(request: SendRequest): PreparedMessage {
  const { exchange = '', routing_key: routingKey = '' } = request.destination.config
  const headers = eventMetadata(request)
  const bytes = headersBytes(headers)
  if (bytes > MAX_HEADERS_BYTES) {
    const reason = `The metadata has ${bytes} bytes as headers; a message takes ${MAX_HEADERS_BYTES}.`
    return { kind: 'refused', result: refused('too_large', reason) }
  }
  if (Object.keys(headers).some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)) {
    const reason = `The metadata has a name of more than ${MAX_NAME_BYTES} bytes, which AMQP does not take.`
    return { kind: 'refused', result: refused('unsendable', reason) }
  }
  const message = {
    exchange,
    routingKey: routingKey === '' ? request.topic : routingKey,
    messageId: request.eventId,
    headers,
    body: request.data,
  }
  return { kind: 'ready', message }
}

function headersBytes(headers: StringMap): number {
  return Object.entries(headers).reduce(
    (sum, [name, value]) =>
      sum + OVERHEAD_BYTES + Buffer.byteLength(name) + Buffer.byteLength(value),
    OVERHEAD_BYTES,
  )
}

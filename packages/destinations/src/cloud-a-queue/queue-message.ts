import { isUtf8 } from 'node:buffer'
import type { SendRequest, SendResult } from '../destination-type.ts'
import { eventMetadata } from '../event-metadata.ts'
import { refused } from '../send-result.ts'
import { isSendable, type MessageAttribute, messageAttributes } from './attributes.ts'

/** SQS' limit, of a message with its attributes and of all messages of a call together. */
export const MAX_CALL_BYTES = 1024 * 1024

/** A message for a queue. */
export interface QueueMessage {
  readonly eventId: string
  readonly body: string
  readonly attributes: Readonly<Record<string, MessageAttribute>>
  /** As SQS counts: body, and name, type and value of every attribute. */
  readonly bytes: number
}

/** The message of a delivery, or why SQS would not take it. */
export type PreparedMessage =
  | { readonly kind: 'ready'; readonly message: QueueMessage }
  | { readonly kind: 'refused'; readonly result: SendResult }

export function queueMessage(request: SendRequest): PreparedMessage {
  const { eventId, data } = request
  const body = data.toString('utf8')
  if (!isUtf8(data) || !isSendable(body)) {
    const reason = 'The data has characters that SQS does not take: U+FFFE or U+FFFF.'
    return { kind: 'refused', result: refused('unsendable', reason) }
  }
  const attributes = messageAttributes(eventMetadata(request))
  const bytes = Object.entries(attributes).reduce(
    (sum, [name, { DataType, StringValue }]) =>
      sum + Buffer.byteLength(name) + DataType.length + Buffer.byteLength(StringValue),
    data.length,
  )
  if (bytes > MAX_CALL_BYTES) {
    const reason = `The message has ${bytes} bytes with its attributes; SQS takes ${MAX_CALL_BYTES}.`
    return { kind: 'refused', result: refused('too_large', reason) }
  }
  return { kind: 'ready', message: { eventId, body, attributes, bytes } }
}

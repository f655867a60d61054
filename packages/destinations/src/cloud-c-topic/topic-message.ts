import type { SendRequest, SendResult } from '../destination-type.ts'
import { eventMetadata } from '../event-metadata.ts'
import { refused } from '../send-result.ts'

/** Limits of Pub/Sub: https://cloud.google.com/pubsub/quotas#resource_limits */
const MAX_ATTRIBUTES = 100
const MAX_KEY_BYTES = 256
const MAX_VALUE_BYTES = 1024

/** Of a publish call with all of its messages. */
export const MAX_CALL_BYTES = 10_000_000

/** What a message and its attributes need at most besides their text. */
const MESSAGE_OVERHEAD_BYTES = 64
const ATTRIBUTE_OVERHEAD_BYTES = 16

/** A message as a publish call takes it. */
export interface TopicMessage {
  readonly data: Buffer
  readonly attributes: Readonly<Record<string, string>>
}

/** A message and what it weighs, or why the event cannot be one. */
export type PreparedMessage =
  | { readonly kind: 'message'; readonly message: TopicMessage; readonly bytes: number }
  | { readonly kind: 'refused'; readonly result: SendResult }

/** The event as a message. What does not fit is refused whole: nothing is cut or left out. */
export function topicMessage(request: SendRequest): PreparedMessage {
  const attributes = eventMetadata(request)
  const entries = Object.entries(attributes)
  const fault = attributesFault(entries)
  if (fault !== null) return { kind: 'refused', result: refused('too_large', fault) }
  const bytes = entries.reduce(
    (sum, [key, value]) =>
      sum + Buffer.byteLength(key) + Buffer.byteLength(value) + ATTRIBUTE_OVERHEAD_BYTES,
    request.data.length + MESSAGE_OVERHEAD_BYTES,
  )
  if (bytes > MAX_CALL_BYTES) {
    const reason = `a message of Pub/Sub has at most ${MAX_CALL_BYTES} bytes`
    return { kind: 'refused', result: refused('too_large', reason) }
  }
  return { kind: 'message', message: { data: request.data, attributes }, bytes }
}

/** Null: all is well. */
function attributesFault(entries: readonly (readonly [string, string])[]): string | null {
  if (entries.length > MAX_ATTRIBUTES) {
    return `a message of Pub/Sub has at most ${MAX_ATTRIBUTES} attributes; the metadata has ${entries.length} members`
  }
  for (const [key, value] of entries) {
    if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
      return `the key of an attribute of Pub/Sub has at most ${MAX_KEY_BYTES} bytes: ${key.slice(0, MAX_KEY_BYTES)}…`
    }
    if (Buffer.byteLength(value) > MAX_VALUE_BYTES) {
      return `an attribute of Pub/Sub has at most ${MAX_VALUE_BYTES} bytes: ${key}`
    }
  }
  return null
}

import { renderForEvent, type RenderedText } from '../aws/event-template.ts'
import type { SendRequest, SendResult } from '../destination-type.ts'
import { eventMetadata } from '../event-metadata.ts'
import { refused } from '../send-result.ts'
import type { Template } from '../templates/template.ts'

/** What a stream may be set to take, of a record with its key; without that it takes 1 MiB. */
const MAX_RECORD_BYTES = 10 * 1024 * 1024
const MAX_KEY_LENGTH = 256

/** A record for a stream. */
export interface StreamRecord {
  readonly partitionKey: string
  readonly data: Buffer
  /** As Kinesis counts: data and key. */
  readonly bytes: number
}

/** The record of a delivery, or why Kinesis would not take it. */
export type PreparedRecord =
  | { readonly kind: 'ready'; readonly record: StreamRecord }
  | { readonly kind: 'refused'; readonly result: SendResult }

export interface RecordForm {
  /** Null: the event's id is the key. */
  readonly keyTemplate: Template | null
  /** The record is an object of metadata and data; else the bare data. */
  readonly hasMetadata: boolean
}

export function streamRecord(request: SendRequest, form: RecordForm): PreparedRecord {
  const key = partitionKey(form.keyTemplate, request)
  if (key.kind === 'refused') return key
  const data = form.hasMetadata ? withMetadata(request) : request.data
  const bytes = data.length + Buffer.byteLength(key.text)
  if (bytes > MAX_RECORD_BYTES) {
    const reason = `The record has ${bytes} bytes with its key; Kinesis takes ${MAX_RECORD_BYTES}.`
    return { kind: 'refused', result: refused('too_large', reason) }
  }
  return { kind: 'ready', record: { partitionKey: key.text, data, bytes } }
}

/** The bytes of the data go in as they are. */
function withMetadata(request: SendRequest): Buffer {
  const metadata = JSON.stringify(eventMetadata(request))
  return Buffer.concat([
    Buffer.from(`{"metadata":${metadata},"data":`),
    request.data,
    Buffer.from('}'),
  ])
}

function partitionKey(template: Template | null, request: SendRequest): RenderedText {
  const key = renderForEvent(template, request, { fallback: request.eventId })
  const fault = key.kind === 'text' ? keyFault(key.text) : null
  return fault === null ? key : { kind: 'refused', result: refused('unsendable', fault) }
}

function keyFault(key: string): string | null {
  if (key === '') return 'The partition key template makes an empty key of this event.'
  if (key.length > MAX_KEY_LENGTH) {
    const length = `${key.length} characters of this event; Kinesis takes ${MAX_KEY_LENGTH}`
    return `The partition key template makes a key of ${length}.`
  }
  return key.isWellFormed()
    ? null
    : 'The partition key template makes a key of this event that is not Unicode.'
}

import type { StringMap } from '@postrider/common'
import type { SendRequest } from '../destination-type.ts'
import { headerText } from '../http/header-text.ts'
import { metadataHeader, systemHeaders } from './header-names.ts'
import type { PreparedDestination } from './prepared-destination.ts'
import type { WebhookSettings } from './settings.ts'

/**
 * The headers of one request, as names and values in turn.
 *
 * @throws {Error} When a key that is ours to supply is missing
 */
export type HeaderWriter = (prepared: PreparedDestination, request: SendRequest) => string[]

/**
 * Writes headers by precedence: the service's own, over the event's metadata, over the destination's
 * delivery metadata, over its custom headers. Names are in lower case, and no name comes twice.
 *
 * One exception: Standard Webhooks knows no topic, so in standard mode the topic of an event's metadata
 * wins over the service's.
 */
export function headerWriter(settings: WebhookSettings): HeaderWriter {
  const { headerPrefix, timestampSource } = settings
  const names = systemHeaders(settings)
  const freeName = settings.mode === 'standard' ? `${headerPrefix}topic` : null

  return (prepared, request) => {
    const metadata = metadataHeaders(request.metadata, headerPrefix, freeName)
    const headers = metadata === null ? prepared.headers.slice() : merged(prepared, metadata)
    const timeMs = timestampSource === 'event' ? request.timeMs : request.attemptTimeMs
    const timestamp = String(Math.floor(timeMs / 1000))
    const eventId = headerText(request.eventId)
    const topic = headerText(request.topic)
    if (names.eventId !== null) headers.push(names.eventId, eventId)
    if (names.timestamp !== null) headers.push(names.timestamp, timestamp)
    if (names.topic !== null && metadata?.has(names.topic) !== true) {
      headers.push(names.topic, topic)
    }
    if (names.signature !== null) {
      const { data: body, attemptTimeMs: nowMs } = request
      const message = { eventId, topic, timeMs, timestamp, body, nowMs }
      headers.push(names.signature, prepared.signature(message))
    }
    return headers
  }
}

/** The headers of an event's metadata; null without any. */
function metadataHeaders(
  metadata: StringMap,
  headerPrefix: string,
  freeName: string | null,
): ReadonlyMap<string, string> | null {
  const keys = Object.keys(metadata)
  if (keys.length === 0) return null
  const headers = new Map<string, string>()
  for (const key of keys) {
    const name = metadataHeader(key, headerPrefix, freeName)
    if (name !== null) headers.set(name, headerText(metadata[key] ?? ''))
  }
  return headers
}

function merged({ headers }: PreparedDestination, metadata: ReadonlyMap<string, string>): string[] {
  const written: string[] = []
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name = '', value = ''] = [headers[i], headers[i + 1]]
    if (!metadata.has(name)) written.push(name, value)
  }
  for (const [name, value] of metadata) written.push(name, value)
  return written
}

import type { SendRequest } from '../destination-type.ts'
import { headerText } from '../http/header-text.ts'
import { isReservedHeader } from '../http/reserved-headers.ts'
import { systemHeaders } from './header-names.ts'
import { keysAt, type PreparedDestination } from './prepared-destination.ts'
import type { WebhookSettings } from './settings.ts'
import type { Signer } from './signer.ts'

/** The headers of one request, as names and values in turn. */
export type HeaderWriter = (prepared: PreparedDestination, request: SendRequest) => string[]

/**
 * Writes headers by precedence: the service's own, over the event's metadata, over the destination's
 * delivery metadata, over its custom headers. Names are in lower case, and no name comes twice.
 */
export function headerWriter(settings: WebhookSettings, signer: Signer): HeaderWriter {
  const { headerPrefix, timestampSource } = settings
  const names = systemHeaders(settings)

  return (prepared, request) => {
    const headers = withMetadata(prepared, request.metadata, headerPrefix)
    const timeMs = timestampSource === 'event' ? request.timeMs : request.attemptTimeMs
    const timestamp = String(Math.floor(timeMs / 1000))
    if (names.eventId !== null) headers.push(names.eventId, headerText(request.eventId))
    if (names.timestamp !== null) headers.push(names.timestamp, timestamp)
    if (names.topic !== null) headers.push(names.topic, headerText(request.topic))
    if (names.signature !== null) {
      const keys = keysAt(prepared, request.attemptTimeMs)
      headers.push(names.signature, signer.header({ timestamp, body: request.data }, keys))
    }
    return headers
  }
}

function withMetadata(
  { headers, replaceable }: PreparedDestination,
  metadata: SendRequest['metadata'],
  headerPrefix: string,
): string[] {
  const written: string[] = []
  const replaced = new Set<string>()
  for (const key of Object.keys(metadata)) {
    const name = headerPrefix + key.toLowerCase()
    if (isReservedHeader(name, headerPrefix)) continue
    if (replaceable.has(name)) replaced.add(name)
    written.push(name, headerText(metadata[key] ?? ''))
  }
  if (replaced.size === 0) return headers.concat(written)
  const kept = headers.filter((_, i) => !replaced.has(headers[i - (i % 2)] ?? ''))
  return kept.concat(written)
}

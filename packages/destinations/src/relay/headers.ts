import { createHmac } from 'node:crypto'
import type { SendRequest } from '../destination-type.ts'
import { headerText } from '../http/header-text.ts'
import { isReservedHeader } from '../http/reserved-headers.ts'

/**
 * The headers of one request to the gateway, as names and values in turn: the service's own, over the
 * event's metadata, over the destination's. The key of the signature is the token's text.
 */
export function relayHeaders(
  request: SendRequest,
  { headerPrefix, userAgent, token }: RelayHeaderOptions,
): string[] {
  const { destination, metadata, data } = request
  // Names in lower case, so that none comes twice; later entries win.
  const headers = new Map<string, string>()
  for (const [key, value] of Object.entries({ ...destination.deliveryMetadata, ...metadata })) {
    const name = headerPrefix + key.toLowerCase()
    if (!isReservedHeader(name, headerPrefix)) headers.set(name, headerText(value))
  }
  const signature = createHmac('sha256', token).update(data).digest('base64')
  headers.set('content-type', 'application/json')
  headers.set('user-agent', userAgent)
  headers.set(`${headerPrefix}id`, headerText(request.eventId))
  headers.set(`${headerPrefix}timestamp`, String(Math.floor(request.timeMs / 1000)))
  headers.set(`${headerPrefix}topic`, headerText(request.topic))
  headers.set(`${headerPrefix}signature`, `v0=${signature}`)
  return [...headers].flat()
}

export interface RelayHeaderOptions {
  /** Of webhooks; the gateway's headers have the same one. */
  readonly headerPrefix: string
  readonly userAgent: string
  readonly token: string
}

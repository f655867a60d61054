import { isReservedHeader } from '../http/reserved-headers.ts'
import type { WebhookSettings } from './settings.ts'

/** The headers of the service itself, by their full names; null: the operator has switched it off. */
export interface SystemHeaders {
  readonly eventId: string | null
  readonly timestamp: string | null
  readonly topic: string | null
  readonly signature: string | null
}

export function systemHeaders(settings: WebhookSettings): SystemHeaders {
  const { headerPrefix } = settings
  return {
    eventId: settings.disableEventIdHeader ? null : `${headerPrefix}id`,
    timestamp: settings.disableTimestampHeader ? null : `${headerPrefix}timestamp`,
    topic: settings.disableTopicHeader ? null : `${headerPrefix}topic`,
    signature: settings.disableSignatureHeader ? null : `${headerPrefix}signature`,
  }
}

/** What the API lets through as a key of metadata, looked at again where it becomes a header's name. */
const KEY = /^[A-Za-z0-9_-]+$/

/**
 * The header of a key of metadata, in lower case; null: it gets none.
 *
 * @param freeName - a header that is not reserved here although it is elsewhere. Default: none.
 */
export function metadataHeader(
  key: string,
  headerPrefix: string,
  freeName: string | null = null,
): string | null {
  if (!KEY.test(key)) return null
  const name = headerPrefix + key.toLowerCase()
  return name !== freeName && isReservedHeader(name, headerPrefix) ? null : name
}

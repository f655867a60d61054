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

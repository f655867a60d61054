/** What operators decide about webhooks. */
export interface WebhookSettings {
  readonly mode: 'default' | 'standard'
  /** Of all headers that carry the event; lower case, never empty. */
  readonly headerPrefix: string
  readonly disableEventIdHeader: boolean
  readonly disableTimestampHeader: boolean
  readonly disableTopicHeader: boolean
  readonly disableSignatureHeader: boolean
  readonly signatureAlgorithm: 'hmac-sha256' | 'hmac-sha1' | 'hmac-sha512'
  readonly signatureEncoding: 'hex' | 'base64'
  readonly signatureContentTemplate: string
  readonly signatureHeaderTemplate: string
  /** The time in the timestamp header and the signature: the event's, or that of the try. */
  readonly timestampSource: 'event' | 'attempt'
  /** Of an answer's body, what is read and kept. */
  readonly maxResponseBodyBytes: number
  /** Null: `postrider/<version>`. */
  readonly userAgent: string | null
}

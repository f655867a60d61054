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
  /** `ed25519` adds a signature with the tenant's own key; standard mode only. */
  readonly signing: 'hmac' | 'ed25519'
  /** Refuses URLs without TLS, when they are written and when they are sent to. */
  readonly httpsOnly: boolean
  readonly minTlsVersion: 'TLSv1.2' | 'TLSv1.3'
  /** A file of PEM certificates that are trusted besides the system's; null: none. */
  readonly extraCaFile: string | null
}

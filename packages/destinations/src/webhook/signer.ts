import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { WebhookSettings } from './settings.ts'

/** How the requests of one mode are signed. */
export interface Signer {
  /** The key behind a secret's text; made once per destination. */
  key(secret: string): KeyObject
  /** The value of the signature header. Keys: the current one first. */
  header(content: SignedContent, keys: readonly KeyObject[]): string
}

/** What is signed. */
export interface SignedContent {
  /** Unix seconds, as in the timestamp header. */
  readonly timestamp: string
  /** The exact bytes of the request's body. */
  readonly body: Buffer
}

const DEFAULT_CONTENT_TEMPLATE = '{{.Body}}'
const DEFAULT_HEADER_TEMPLATE = 'v0={{.Signatures | join ","}}'

/**
 * The signer that the settings ask for.
 *
 * @throws {Error} When they ask for one that does not exist: a deliverer must not start and sign
 *   otherwise than its operator believes
 */
export function createSigner(settings: WebhookSettings): Signer {
  if (settings.mode !== 'default') {
    throw new Error(`DESTINATIONS_WEBHOOK_MODE: ${settings.mode} mode is not supported`)
  }
  if (settings.signatureContentTemplate !== DEFAULT_CONTENT_TEMPLATE) {
    throw new Error(
      'DESTINATIONS_WEBHOOK_SIGNATURE_CONTENT_TEMPLATE: only the default is supported',
    )
  }
  if (settings.signatureHeaderTemplate !== DEFAULT_HEADER_TEMPLATE) {
    throw new Error('DESTINATIONS_WEBHOOK_SIGNATURE_HEADER_TEMPLATE: only the default is supported')
  }
  return timestampedSigner(settings)
}

/**
 * The wire format: HMAC over `<timestamp>.<body>`, as
 * `t=<timestamp>,v0=<signature>[,<signature>…]`, one signature per key. The HMAC key is the secret's
 * text, whole, with its `whsec_`.
 */
function timestampedSigner(settings: WebhookSettings): Signer {
  const digest = settings.signatureAlgorithm.slice('hmac-'.length)
  const encoding = settings.signatureEncoding
  return {
    key: (secret) => createSecretKey(secret, 'utf8'),
    header({ timestamp, body }, keys) {
      let header = `t=${timestamp},v0=`
      let separator = ''
      for (const key of keys) {
        const hmac = createHmac(digest, key).update(`${timestamp}.`).update(body)
        header += separator + hmac.digest(encoding)
        separator = ','
      }
      return header
    },
  }
}

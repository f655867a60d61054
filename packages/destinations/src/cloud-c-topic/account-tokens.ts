import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import type { ServiceAccount } from './service-account.ts'

/** All that publishing takes. */
const SCOPE = 'https://www.googleapis.com/auth/pubsub'

/** As long as Google lets a token live. */
const LIFETIME_S = 3600

/** A token is replaced this long before it expires, for clocks that differ. */
const MARGIN_S = 300

/** Google's own keys have 2048 bits; the work of a signature grows with the cube of it. */
const MAX_KEY_BITS = 4096

/** The private key of a service account is not one that can sign for it. */
export class AccountKeyError extends Error {
  override readonly name = 'AccountKeyError'
}

/**
 * The tokens with which a service account proves who it is. It signs them itself, so that nobody has to
 * be asked for them (https://google.aip.dev/auth/4111).
 */
export class AccountTokens {
  readonly #account: ServiceAccount
  readonly #key: KeyObject
  #header = ''
  #expiresAtS = 0

  /** @throws {AccountKeyError} When the key is none, or of another kind than Google gives out */
  constructor(account: ServiceAccount) {
    this.#account = account
    this.#key = keyOf(account)
  }

  /** The header `authorization` of a call that is made now. */
  header(nowMs: number): string {
    const nowS = Math.floor(nowMs / 1000)
    if (nowS >= this.#expiresAtS - MARGIN_S) {
      this.#expiresAtS = nowS + LIFETIME_S
      this.#header = `Bearer ${this.#token(nowS)}`
    }
    return this.#header
  }

  #token(nowS: number): string {
    const { email, keyId } = this.#account
    const header = { alg: 'RS256', typ: 'JWT', ...(keyId === null ? {} : { kid: keyId }) }
    const claims = { iss: email, sub: email, scope: SCOPE, iat: nowS, exp: nowS + LIFETIME_S }
    const content = `${encoded(header)}.${encoded(claims)}`
    const signature = sign('RSA-SHA256', Buffer.from(content), this.#key)
    return `${content}.${signature.toString('base64url')}`
  }
}

function keyOf({ privateKey }: ServiceAccount): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(privateKey)
  } catch (cause) {
    throw new AccountKeyError('the private key cannot be read', { cause })
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (key.asymmetricKeyType === 'rsa' && bits <= MAX_KEY_BITS) return key
  throw new AccountKeyError(`the private key is not an RSA key of at most ${MAX_KEY_BITS} bits`)
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

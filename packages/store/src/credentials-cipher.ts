import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** A ciphertext that none of the configured secrets can open, or that was changed. */
export class UndecryptableError extends Error {
  override readonly name = 'UndecryptableError'
}

const FORMAT = 1
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES

interface Key {
  readonly id: Buffer
  readonly key: Buffer
}

/**
 * Encrypts credentials and signing keys at rest with AES-256-GCM. A ciphertext names the key that made it, so that
 * secrets can be exchanged one by one: put the new one first, and old rows stay readable.
 *
 * Layout: format (1 byte), key id (4), nonce (12), tag (16), ciphertext. The key is HKDF-SHA256
 * (RFC 5869) of the secret; its id are four more bytes of the same derivation, which say nothing
 * about the key. The nonce is random: safe for 2^32 encryptions with one key (NIST SP 800-38D 8.3).
 */
export class CredentialsCipher {
  readonly #keys: readonly Key[]

  /** @param secrets - at least one; the first encrypts, all decrypt */
  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map(deriveKey)
  }

  /** @param owner - uid of the row; a ciphertext copied to another row does not open there */
  encrypt(value: Readonly<Record<string, string>>, owner: string): Buffer {
    const key = this.#keys[0]
    if (key === undefined) throw new Error('no encryption secret is configured')
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', key.key, nonce)
    cipher.setAAD(Buffer.from(owner))
    const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
    return Buffer.concat([Buffer.of(FORMAT), key.id, nonce, cipher.getAuthTag(), body])
  }

  /** @throws {UndecryptableError} When no configured secret opens it */
  decrypt(ciphertext: Buffer, owner: string): Record<string, string> {
    if (ciphertext.length < HEADER_BYTES || ciphertext[0] !== FORMAT) {
      throw new UndecryptableError('credentials are not in a known format')
    }
    const id = ciphertext.subarray(1, 1 + KEY_ID_BYTES)
    const key = this.#keys.find((candidate) => candidate.id.equals(id))
    if (key === undefined) {
      throw new UndecryptableError(
        'credentials were encrypted with a secret that is not configured',
      )
    }
    const nonce = ciphertext.subarray(1 + KEY_ID_BYTES, 1 + KEY_ID_BYTES + NONCE_BYTES)
    const tag = ciphertext.subarray(HEADER_BYTES - TAG_BYTES, HEADER_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', key.key, nonce)
    decipher.setAAD(Buffer.from(owner))
    decipher.setAuthTag(tag)
    try {
      const body = Buffer.concat([
        decipher.update(ciphertext.subarray(HEADER_BYTES)),
        decipher.final(),
      ])
      return JSON.parse(body.toString('utf8')) as Record<string, string>
    } catch (cause) {
      throw new UndecryptableError('credentials were changed', { cause })
    }
  }
}

function deriveKey(secret: string): Key {
  const material = Buffer.from(hkdfSync('sha256', secret, '', 'postrider credentials v1', 32 + 4))
  return { key: material.subarray(0, 32), id: material.subarray(32) }
}

import { generateKeyPair, hash } from 'node:crypto'
import { promisify } from 'node:util'

/** An Ed25519 key pair (RFC 8032). */
export interface KeyPair {
  /** The thumbprint of its public key. */
  readonly kid: string
  /** The 32 bytes. */
  readonly publicKey: Buffer
  /** PKCS #8, DER. Never logged. */
  readonly privateKey: Buffer
}

const generate = promisify(generateKeyPair)

export async function newKeyPair(): Promise<KeyPair> {
  const { publicKey, privateKey } = await generate('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  return {
    kid: thumbprintOf(x),
    publicKey: Buffer.from(x, 'base64url'),
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }),
  }
}

/**
 * The name of a public key (RFC 7638): the hash of exactly these members, in this order, without white
 * space.
 *
 * @param x - its 32 bytes in base64url
 */
export function thumbprintOf(x: string): string {
  return hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url')
}

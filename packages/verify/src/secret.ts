import { decodeBase64 } from './canonical-text.ts'
import { VerificationError } from './verification-error.ts'

/** The key behind a secret in default mode: its text, whole. @throws {VerificationError} For no text */
export function textKey(secret: string): Uint8Array<ArrayBuffer> {
  if (typeof secret !== 'string' || secret === '' || !secret.isWellFormed()) {
    throw new VerificationError('invalid_secret', 'a secret must be text that is not empty')
  }
  return new TextEncoder().encode(secret)
}

/**
 * The key behind a secret in standard mode: the base64 after `whsec_`, or bytes as they are.
 *
 * @throws {VerificationError} For any other form, and for none
 */
export function standardKey(secret: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = ArrayBuffer.isView(secret) ? Uint8Array.from(secret) : whsecBytes(secret)
  if (bytes === null || bytes.length === 0) {
    throw new VerificationError('invalid_secret', 'a secret must be whsec_ and base64, or bytes')
  }
  return bytes
}

function whsecBytes(secret: string): Uint8Array<ArrayBuffer> | null {
  const [, base64] = /^whsec_(.+)$/s.exec(secret) ?? []
  return base64 === undefined ? null : decodeBase64(base64)
}

import { decodeBase64 } from './canonical-text.ts'
import { VerificationError } from './verification-error.ts'

/** One or several of something. */
export type OneOrMore<T> = T | readonly T[]

/** The key behind a secret in default mode: its text, whole. @throws {VerificationError} For no text */
export function textKey(secret: string): Uint8Array<ArrayBuffer> {
  if (typeof secret !== 'string' || secret === '' || !secret.isWellFormed()) {
    throw new VerificationError('invalid_secret', 'a secret must be text that is not empty')
  }
  return new TextEncoder().encode(secret)
}

/**
 * The key behind a secret in standard mode: the base64 after `whsec_`.
 *
 * @throws {VerificationError} For any other form
 */
export function whsecKey(secret: string): Uint8Array<ArrayBuffer> {
  const [, base64 = ''] = /^whsec_(.+)$/s.exec(secret) ?? []
  const bytes = decodeBase64(base64)
  if (bytes === null || bytes.length === 0) {
    throw new VerificationError('invalid_secret', 'a secret must be whsec_ and base64')
  }
  return bytes
}

export function asList<T>(given: OneOrMore<T>): readonly T[] {
  // `Array.isArray` does not narrow what is left to T when a list is readonly.
  return Array.isArray(given) ? (given as readonly T[]) : [given as T]
}

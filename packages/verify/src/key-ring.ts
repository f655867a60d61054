import { VerificationError } from './verification-error.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A key and the way it verifies. */
export interface KeySource {
  readonly algorithm:
    { readonly name: 'HMAC'; readonly hash: string } | { readonly name: 'Ed25519' }
  readonly bytes: Bytes
}

/**
 * More signatures than any sender has reason for, each of which costs a pass over the body; without a
 * bound a request could ask for hundreds.
 */
const MAX_SIGNATURES = 16

/** Refuses a header with too many signatures. @throws {VerificationError} Then */
export function checkSignatureCount(signatures: readonly unknown[]): void {
  if (signatures.length <= MAX_SIGNATURES) return
  throw new VerificationError('malformed_signature', `more than ${MAX_SIGNATURES} signatures`)
}

/**
 * Keys of one kind, imported when they are first needed, because importing is asynchronous and making
 * a verifier is not.
 */
export class KeyRing {
  readonly #sources: readonly KeySource[]
  #keys: Promise<readonly CryptoKey[]> | null = null

  constructor(sources: readonly KeySource[]) {
    this.#sources = sources
  }

  /** Whether one of the signatures was made with one of the keys over the content. */
  async hasMatch(signatures: readonly Bytes[], content: Bytes): Promise<boolean> {
    if (signatures.length === 0) return false
    this.#keys ??= Promise.all(this.#sources.map(importKey))
    for (const key of await this.#keys) {
      for (const signature of signatures) {
        // Constant in time: WebCrypto demands it of the verification of an HMAC, and nothing about a
        // public key's is secret.
        if (await crypto.subtle.verify(key.algorithm.name, key, signature, content)) return true
      }
    }
    return false
  }
}

function importKey({ algorithm, bytes }: KeySource): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
}

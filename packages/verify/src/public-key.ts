import { decodeBase64, decodeBase64Url } from './canonical-text.ts'
import { VerificationError } from './verification-error.ts'

/** A public key as a JSON Web Key (RFC 8037). */
export interface PublicJwk {
  readonly kty?: string
  readonly crv?: string
  /** The 32 bytes in base64url. */
  readonly x?: string
  readonly use?: string
  readonly alg?: string
  readonly kid?: string
}

/** The document at a tenant's `jwks.json`. */
export interface PublicJwks {
  readonly keys: readonly PublicJwk[]
}

/** `whpk_` and the base64 of the 32 bytes, or a JSON Web Key, or a set of them. */
export type PublicKey = string | PublicJwk | PublicJwks

const KEY_BYTES = 32

/**
 * The raw bytes of Ed25519 public keys. Keys of other kinds in a set are passed over, as RFC 7517
 * section 5 asks, so that a sender can announce what its receivers do not understand yet.
 *
 * @throws {VerificationError} When there is no key in what was given, or one that is no key
 */
export function publicKeyBytes(given: PublicKey): readonly Uint8Array<ArrayBuffer>[] {
  if (typeof given === 'string') return [whpkBytes(given)]
  if (!isObject(given)) throw invalid('there is no key in what was given')
  if (!isSet(given)) return [jwkBytes(given)]
  const usable = given.keys.filter((key) => isObject(key) && isEd25519(key))
  if (usable.length === 0) throw invalid('there is no Ed25519 key in the set')
  return usable.map(jwkBytes)
}

function whpkBytes(text: string): Uint8Array<ArrayBuffer> {
  const [, base64 = ''] = /^whpk_(.+)$/s.exec(text) ?? []
  return checked(decodeBase64(base64))
}

function jwkBytes(jwk: PublicJwk): Uint8Array<ArrayBuffer> {
  if (!isEd25519(jwk)) throw invalid('the key is not one for Ed25519 signatures')
  return checked(decodeBase64Url(jwk.x ?? ''))
}

function isEd25519({ kty, crv, use = 'sig', alg = 'EdDSA' }: PublicJwk): boolean {
  // RFC 9864 gives the algorithm a second name.
  const isAlgorithm = alg === 'EdDSA' || alg === 'Ed25519'
  return kty === 'OKP' && crv === 'Ed25519' && use === 'sig' && isAlgorithm
}

function isSet(given: PublicJwk | PublicJwks): given is PublicJwks {
  return 'keys' in given && Array.isArray(given.keys)
}

/** Sets come from elsewhere. */
function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function checked(bytes: Uint8Array<ArrayBuffer> | null): Uint8Array<ArrayBuffer> {
  if (bytes?.length !== KEY_BYTES) throw invalid(`a public key must have ${KEY_BYTES} bytes`)
  return bytes
}

function invalid(message: string): VerificationError {
  return new VerificationError('invalid_public_key', message)
}

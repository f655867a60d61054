import { decodeBase64 } from './canonical-text.ts'
import { headerNames } from './header-names.ts'
import { checkSignatureCount, KeyRing } from './key-ring.ts'
import { asList, type OneOrMore } from './one-or-more.ts'
import { type PublicKey, publicKeyBytes } from './public-key.ts'
import { rawBody, signedContent } from './raw-body.ts'
import { headerReader, requiredHeader } from './request-headers.ts'
import { standardKey } from './secret.ts'
import { checkTolerance, createTolerance, parseTimestamp } from './timestamp.ts'
import { VerificationError } from './verification-error.ts'
import type { Verifier } from './verifier.ts'

export interface StandardVerifierOptions {
  /**
   * `whsec_…`, for `v1` signatures; several while one replaces another. Bytes stand for themselves: a
   * secret of another form, from before the operator chose standard mode, signs with the bytes of its
   * text. Default: none.
   */
  readonly secrets?: OneOrMore<string | Uint8Array>
  /** For `v1a` signatures. Default: none. */
  readonly publicKeys?: OneOrMore<PublicKey>
  /** Default `webhook-`. */
  readonly headerPrefix?: string
  /** How far the timestamp may be from now, both ways; null: any distance. Default 300. */
  readonly toleranceSeconds?: number | null
  /** Unix milliseconds. Default `Date.now`. */
  readonly nowMs?: () => number
}

/** What the signature of standard mode vouches for, beside the body, and what came along. */
export interface SignedStandardWebhook {
  readonly id: string
  /** Unix seconds. */
  readonly timestamp: number
  /**
   * What the signature does **not** cover: whoever can repeat a request can change it. Null when the
   * header is absent or empty.
   */
  readonly unsigned: { readonly topic: string | null }
}

const TOLERANCE_SECONDS = 300
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const
const ED25519 = { name: 'Ed25519' } as const

/** By version: how many bytes a signature has. */
const SIGNATURE_BYTES = { v1: 32, v1a: 64 } as const

type Version = keyof typeof SIGNATURE_BYTES
type Signatures = Readonly<Record<Version, readonly Uint8Array<ArrayBuffer>[]>>

/**
 * A verifier of standard mode (https://www.standardwebhooks.com): `v1` and `v1a` signatures over
 * `<id>.<timestamp>.<body>`. One that fits is enough.
 *
 * @throws {VerificationError} When a key or another option cannot be right
 */
export function createStandardVerifier(
  options: StandardVerifierOptions,
): Verifier<SignedStandardWebhook> {
  const { secrets = [], publicKeys = [], headerPrefix = 'webhook-', nowMs = Date.now } = options
  const { toleranceSeconds = TOLERANCE_SECONDS } = options
  const tolerance = createTolerance(toleranceSeconds, nowMs)
  const names = headerNames(headerPrefix)
  const symmetric = asList(secrets).map((secret) => ({
    algorithm: HMAC,
    bytes: standardKey(secret),
  }))
  const asymmetric = asList(publicKeys)
    .flatMap(publicKeyBytes)
    .map((bytes) => ({ algorithm: ED25519, bytes }))
  if (symmetric.length + asymmetric.length === 0) {
    throw new VerificationError('invalid_secret', 'there is neither a secret nor a public key')
  }
  const rings = { v1: new KeyRing(symmetric), v1a: new KeyRing(asymmetric) }

  return {
    async verify({ headers, body }) {
      const read = headerReader(headers)
      const id = requiredHeader(read, names.id)
      const time = requiredHeader(read, names.timestamp)
      const signatures = parseSignatures(requiredHeader(read, names.signature))
      const timestamp = parseTimestamp(time)
      const bytes = rawBody(body)
      checkOneReading(id, bytes)
      const content = signedContent(`${id}.${time}.`, bytes)
      const isSigned =
        (await rings.v1.hasMatch(signatures.v1, content)) ||
        (await rings.v1a.hasMatch(signatures.v1a, content))
      if (!isSigned) {
        throw new VerificationError('no_match', 'no signature was made with a known key')
      }
      checkTolerance(timestamp, tolerance)
      return { id, timestamp, unsigned: { topic: read(names.topic) || null } }
    },
  }
}

/**
 * Refuses requests whose signed bytes `<id>.<timestamp>.<body>` could be cut elsewhere. Ids may hold
 * dots, so `a.1.2.{}` could be the id `a` with the body `2.{}` as well as the id `a.1`. Two rules leave
 * one reading: ids, timestamps and dots are made of certain characters, and a body begins with none of
 * them. So the body starts at the first other character, and the timestamp stands between the two dots
 * before it. Postrider's ids are such, and its bodies are JSON objects.
 */
function checkOneReading(id: string, body: Uint8Array): void {
  if (!/^[A-Za-z0-9._:-]{1,128}$/.test(id)) {
    throw new VerificationError('malformed_id', 'the id has not the form it must have')
  }
  const [first] = body
  if (first !== undefined && /[A-Za-z0-9._:-]/.test(String.fromCharCode(first))) {
    throw new VerificationError('ambiguous_body', 'the body is neither an object nor a list')
  }
}

/** Versions that are not known are passed over, as the specification asks. */
function parseSignatures(value: string): Signatures {
  const tokens = value.split(' ').map((token) => /^([a-z0-9]+),(.+)$/s.exec(token) ?? [])
  checkSignatureCount(tokens)
  const signatures = { v1: [] as Uint8Array<ArrayBuffer>[], v1a: [] as Uint8Array<ArrayBuffer>[] }
  for (const [, version, text] of tokens) {
    if (version === undefined || text === undefined) throw malformed()
    if (version !== 'v1' && version !== 'v1a') continue
    const bytes = decodeBase64(text)
    if (bytes?.length !== SIGNATURE_BYTES[version]) throw malformed()
    signatures[version].push(bytes)
  }
  return signatures
}

function malformed(): VerificationError {
  return new VerificationError('malformed_signature', 'a signature has not the form it must have')
}

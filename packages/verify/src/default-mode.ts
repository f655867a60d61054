import { decodeBase64, decodeHex } from './canonical-text.ts'
import { headerNames } from './header-names.ts'
import { checkSignatureCount, KeyRing } from './key-ring.ts'
import { asList, type OneOrMore } from './one-or-more.ts'
import { rawBody, signedContent } from './raw-body.ts'
import { headerReader, requiredHeader } from './request-headers.ts'
import { textKey } from './secret.ts'
import { checkTolerance, createTolerance, parseTimestamp } from './timestamp.ts'
import { VerificationError } from './verification-error.ts'
import type { Verifier } from './verifier.ts'

export interface VerifierOptions {
  /** The destination's secret as the API shows it, with its `whsec_`; several while one replaces another. */
  readonly secrets: OneOrMore<string>
  /** Default `x-service-`. */
  readonly headerPrefix?: string
  /** Default `hmac-sha256`. */
  readonly algorithm?: 'hmac-sha256' | 'hmac-sha1' | 'hmac-sha512'
  /** Default `hex`. */
  readonly encoding?: 'hex' | 'base64'
  /**
   * How far the timestamp may be from now, both ways. Default null: any distance, because in this mode
   * the timestamp is the event's, and the last retry of a delivery carries one that is days old.
   */
  readonly toleranceSeconds?: number | null
  /** Unix milliseconds. Default `Date.now`. */
  readonly nowMs?: () => number
}

/** What the signature of default mode vouches for, beside the body, and what came along. */
export interface SignedWebhook {
  /** Unix seconds. */
  readonly timestamp: number
  /**
   * What the signature does **not** cover: whoever can repeat a request can change it. Null when the
   * header is absent or empty.
   */
  readonly unsigned: { readonly id: string | null; readonly topic: string | null }
}

const HASHES = {
  'hmac-sha256': { name: 'SHA-256', bytes: 32 },
  'hmac-sha1': { name: 'SHA-1', bytes: 20 },
  'hmac-sha512': { name: 'SHA-512', bytes: 64 },
} as const

const DECODERS = { hex: decodeHex, base64: decodeBase64 } as const

/**
 * A verifier of default mode: `t=<timestamp>,v0=<signature>[,<signature>…]`, each signature an HMAC
 * over `<timestamp>.<body>` with the text of a secret as its key.
 *
 * @throws {VerificationError} When a secret or another option cannot be right
 */
export function createVerifier(options: VerifierOptions): Verifier<SignedWebhook> {
  const { headerPrefix = 'x-service-', toleranceSeconds = null, nowMs = Date.now } = options
  const hash = known(HASHES, options.algorithm ?? 'hmac-sha256', 'algorithm')
  const decode = known(DECODERS, options.encoding ?? 'hex', 'encoding')
  const tolerance = createTolerance(toleranceSeconds, nowMs)
  const names = headerNames(headerPrefix)
  const algorithm = { name: 'HMAC', hash: hash.name } as const
  const secrets = asList(options.secrets)
  if (secrets.length === 0) throw new VerificationError('invalid_secret', 'there is no secret')
  const keys = new KeyRing(secrets.map((secret) => ({ algorithm, bytes: textKey(secret) })))

  const readSignature = (text: string): Uint8Array<ArrayBuffer> => {
    const bytes = decode(text)
    if (bytes?.length !== hash.bytes) {
      throw new VerificationError(
        'malformed_signature',
        'a signature has not the form it must have',
      )
    }
    return bytes
  }

  return {
    async verify({ headers, body }) {
      const read = headerReader(headers)
      const { time, signatures } = parseSignatureHeader(requiredHeader(read, names.signature))
      checkSignatureCount(signatures)
      const timestamp = parseTimestamp(time)
      // Operators may switch the header off. Where it is sent, somebody may rely on it.
      if ((read(names.timestamp) ?? time) !== time) {
        throw new VerificationError(
          'timestamp_mismatch',
          `${names.timestamp} is not what was signed`,
        )
      }
      const content = signedContent(`${time}.`, rawBody(body))
      if (!(await keys.hasMatch(signatures.map(readSignature), content))) {
        throw new VerificationError('no_match', 'no signature was made with a known secret')
      }
      checkTolerance(timestamp, tolerance)
      return {
        timestamp,
        unsigned: { id: read(names.id) || null, topic: read(names.topic) || null },
      }
    },
  }
}

function parseSignatureHeader(value: string): { time: string; signatures: readonly string[] } {
  const [, time, list] = /^t=([^,]*),v0=(.*)$/s.exec(value) ?? []
  if (time === undefined || list === undefined) {
    throw new VerificationError('malformed_signature', 'the signature is not t=…,v0=…')
  }
  return { time, signatures: list.split(',') }
}

function known<Name extends string, T>(
  choices: Readonly<Record<Name, T>>,
  name: Name,
  option: string,
): T {
  if (Object.hasOwn(choices, name)) return choices[name]
  throw new VerificationError(
    'invalid_option',
    `${option} must be one of ${Object.keys(choices).join(', ')}`,
  )
}

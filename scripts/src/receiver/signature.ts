import type { IncomingHttpHeaders } from 'node:http'
import { createStandardVerifier, createVerifier, VerificationError } from '@postrider/verify'

/**
 * What a receiver knows of a request's signature. `unsigned`: there is no signature header, or it has
 * another form. `unchecked`: the receiver was given no secret.
 */
export type Verdict = 'valid' | 'not valid' | 'unsigned' | 'unchecked'

export interface SignedRequest {
  readonly headers: IncomingHttpHeaders
  /** The exact bytes that arrived. */
  readonly body: Buffer
}

/**
 * Verifies a request as any receiver would, with `@postrider/verify`: in standard mode when it has that
 * mode's signature header, else in default mode. Valid when one of its signatures was made with one of
 * the secrets.
 */
export async function verdictOn(
  request: SignedRequest,
  secrets: readonly string[],
): Promise<Verdict> {
  if (secrets.length === 0) return 'unchecked'
  const isStandard = request.headers['webhook-signature'] !== undefined
  try {
    const verifier = isStandard
      ? createStandardVerifier({ secrets: secrets.map(standardSecret) })
      : createVerifier({ secrets })
    await verifier.verify(request)
    return 'valid'
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    const isUnsigned = error.code === 'missing_header' || error.code === 'malformed_signature'
    return isUnsigned ? 'unsigned' : 'not valid'
  }
}

/** A secret from before the operator chose standard mode signs with the bytes of its text. */
function standardSecret(secret: string): string | Uint8Array {
  return /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret) ? secret : Buffer.from(secret)
}

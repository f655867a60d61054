import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * What a receiver knows of a request's signature. `unsigned`: there is no signature header, or it has
 * another form. `unchecked`: the receiver was given no secret.
 */
export type Verdict = 'valid' | 'not valid' | 'unsigned' | 'unchecked'

export interface SignedRequest {
  /** `x-service-signature` as it arrived; undefined without one. */
  readonly header: string | undefined
  /** The exact bytes that arrived. */
  readonly body: Buffer
}

/**
 * Verifies a request as a receiver would write it: HMAC-SHA256 with the secret's text over the
 * timestamp of the header, a dot and the bytes of the body; the header is
 * `t=<timestamp>,v0=<signature>[,<signature>…]`, with more than one signature while a secret is being
 * rotated out. Valid when one of the signatures was made with one of the secrets.
 *
 * Every signature is compared with every secret and in constant time, so that how long it takes tells
 * nothing of how nearly right a forged one is.
 */
export function verdictOn({ header, body }: SignedRequest, secrets: readonly string[]): Verdict {
  if (secrets.length === 0) return 'unchecked'
  const match = /^t=(\d+),v0=([0-9a-f]+(?:,[0-9a-f]+)*)$/.exec(header ?? '')
  const [, timestamp, signatures] = match ?? []
  if (timestamp === undefined || signatures === undefined) return 'unsigned'
  const given = signatures.split(',').map((text) => Buffer.from(text, 'hex'))
  let isValid = false
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
    for (const signature of given) {
      const isSame = signature.length === expected.length && timingSafeEqual(signature, expected)
      isValid = isSame || isValid
    }
  }
  return isValid ? 'valid' : 'not valid'
}

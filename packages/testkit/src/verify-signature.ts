import { createHmac, timingSafeEqual } from 'node:crypto'

export interface SignedRequest {
  readonly secret: string
  /** The signature header as it arrived: `t=<timestamp>,v0=<signature>[,<signature>…]`. */
  readonly header: string
  /** The exact bytes that arrived. */
  readonly body: Buffer
}

/**
 * Whether one of the signatures of a request in default mode was made with the secret. Written after
 * the public description alone, and apart from the code that signs: it is how a receiver would verify.
 */
export function verifySignature({ secret, header, body }: SignedRequest): boolean {
  const match = /^t=(\d+),v0=([0-9a-f]+(?:,[0-9a-f]+)*)$/.exec(header)
  const [, timestamp, signatures] = match ?? []
  if (timestamp === undefined || signatures === undefined) return false
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
  return signatures.split(',').some((text) => {
    const given = Buffer.from(text, 'hex')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

import type { SendResult } from '../src/destination-type.ts'

/** A result without an answer: the code alone, nothing of an address or a lookup. */
export function failure(code: string): SendResult {
  return { status: 'failed', code, response: null, retryAfterMs: null, disable: false }
}

/** What a service said when it refused a message. */
export function refusal(code: string, error: string, words: string): SendResult {
  return { ...failure(code), response: { head: { error }, body: Buffer.from(words), cut: false } }
}

/** A message that was not sent, and what the tenant is told of it. */
export function tooLarge(reason: string): SendResult {
  return { ...failure('too_large'), response: { head: {}, body: Buffer.from(reason), cut: false } }
}

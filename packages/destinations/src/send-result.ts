import type { SendResult } from './destination-type.ts'

/** A try that failed without an answer that is worth keeping. */
export function failed(code: string): SendResult {
  return { status: 'failed', code, response: null, retryAfterMs: null, disable: false }
}

/** A try after which the message is there. */
export function succeeded(code: string): SendResult {
  return { status: 'success', code, response: null, retryAfterMs: null, disable: false }
}

/** A try that was not made because it cannot succeed; the tenant is told why. */
export function refused(code: string, reason: string): SendResult {
  return { ...failed(code), response: { head: {}, body: Buffer.from(reason), cut: false } }
}

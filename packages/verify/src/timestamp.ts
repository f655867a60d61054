import { VerificationError } from './verification-error.ts'

/** How far a timestamp may be from now. */
export interface Tolerance {
  /** Null: any distance. */
  readonly seconds: number | null
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

/**
 * Unix seconds from their one spelling: decimal digits without a sign or leading zeros.
 *
 * @throws {VerificationError} For any other text
 */
export function parseTimestamp(text: string): number {
  // Fifteen digits are exact in a number and more than any date can be.
  if (!/^(?:0|[1-9][0-9]{0,14})$/.test(text)) {
    throw new VerificationError('malformed_timestamp', 'the timestamp is not in Unix seconds')
  }
  return Number(text)
}

/** @throws {VerificationError} When the tolerance is not a number of seconds, 0 or more */
export function createTolerance(seconds: number | null, nowMs: () => number): Tolerance {
  if (seconds !== null && !(seconds >= 0)) {
    throw new VerificationError('invalid_option', 'toleranceSeconds must be 0 or more, or null')
  }
  return { seconds, nowMs }
}

/** @throws {VerificationError} When the timestamp, in Unix seconds, is further from now than tolerated */
export function checkTolerance(timestamp: number, { seconds, nowMs }: Tolerance): void {
  if (seconds === null) return
  const ageSeconds = Math.floor(nowMs() / 1000) - timestamp
  if (Math.abs(ageSeconds) <= seconds) return
  if (ageSeconds < 0) {
    throw new VerificationError('timestamp_too_new', `signed ${-ageSeconds} s in the future`)
  }
  // Also by a clock that gives no number: what cannot be told is not let through.
  throw new VerificationError('timestamp_too_old', `signed ${ageSeconds} s ago`)
}

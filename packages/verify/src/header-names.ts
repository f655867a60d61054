import { VerificationError } from './verification-error.ts'

/** The names of the headers that begin with a prefix, in lower case. */
export interface HeaderNames {
  readonly id: string
  readonly timestamp: string
  readonly topic: string
  readonly signature: string
}

/** @throws {VerificationError} When no header can begin so */
export function headerNames(prefix: string): HeaderNames {
  if (!/^[A-Za-z0-9_-]+$/.test(prefix)) {
    throw new VerificationError('invalid_option', 'headerPrefix must begin the name of a header')
  }
  const lower = prefix.toLowerCase()
  return {
    id: `${lower}id`,
    timestamp: `${lower}timestamp`,
    topic: `${lower}topic`,
    signature: `${lower}signature`,
  }
}

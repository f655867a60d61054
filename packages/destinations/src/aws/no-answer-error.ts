import { isError } from '../is-error.ts'

/**
 * A request of an SDK that got no answer, or only the beginning of one; `cause` says why. The SDKs let it
 * through as it is; other errors they may wrap, and lose what they carry.
 */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  override readonly cause: Error

  /** @throws What is no error */
  constructor(cause: unknown) {
    if (!isError(cause)) throw cause
    super(cause.message)
    this.cause = cause
  }
}

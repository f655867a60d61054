import { dialFailureCode } from '../dial-failure-code.ts'
import { errorCode } from '../failure-code.ts'
import { isError } from '../is-error.ts'

/** A failure of a broker or of the way to it; `code` is a documented failure code. */
export class BrokerFailureError extends Error {
  override readonly name = 'BrokerFailureError'
  readonly code: string

  constructor(code: string, options?: ErrorOptions) {
    super(code, options)
    this.code = code
  }
}

// amqplib tells the reason of a refused handshake in its message alone.
const HANDSHAKE_FAILURES: readonly (readonly [RegExp, string])[] = [
  [/^Handshake terminated by server: 403/, 'auth_failed'],
  [/^SASL mechanism/, 'auth_failed'],
  // The user is who he says; the vhost does not exist or is not his.
  [/^Expected ConnectionOpenOk; got <ConnectionClose/, 'access_denied'],
  [/^Socket closed abruptly/, 'connection_reset'],
  // In one piece with the end of the handshake.
  [/^Connection closed:/, 'connection_reset'],
]

const UNREADABLE: ReadonlySet<string> = new Set(['ERR_OUT_OF_RANGE', 'ERR_BUFFER_OUT_OF_BOUNDS'])

/**
 * Why a connection could not be made.
 *
 * @throws The error itself, when the fault is ours
 */
export function dialFailure(error: unknown, isTls: boolean): BrokerFailureError {
  if (!isError(error)) throw error
  const known = HANDSHAKE_FAILURES.find(([pattern]) => pattern.test(error.message))
  if (known !== undefined) return new BrokerFailureError(known[1], { cause: error })
  const code = errorCode(error)
  // An error without a code is amqplib's, and it reads beyond the end of frames that are too short: what
  // answers does not speak AMQP.
  if (code === '' || UNREADABLE.has(code))
    return new BrokerFailureError('protocol_error', { cause: error })
  const failure = dialFailureCode(error, isTls)
  if (failure === null) throw error
  return new BrokerFailureError(failure, { cause: error })
}

/** Why the server closed a channel on which we only publish, by AMQP's reply code. */
export function channelFailure(replyCode: unknown): string {
  switch (replyCode) {
    case 403:
      return 'access_denied'
    case 404:
      return 'exchange_not_found'
    default:
      return 'channel_error'
  }
}

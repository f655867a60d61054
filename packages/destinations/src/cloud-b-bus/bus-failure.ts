import type { AttemptResponse } from '@postrider/common'
import { dialFailureCode } from '../dial-failure-code.ts'
import { errorCode, failureCode } from '../failure-code.ts'
import { isError } from '../is-error.ts'
import { refused } from '../send-result.ts'
import { vendorAnswer } from '../vendor-answer.ts'
import { ProtocolFaultError } from './socket-transport.ts'

/** A failure of Service Bus or of the way to it; `code` is a documented code of attempts. */
export class BusFailureError extends Error {
  override readonly name = 'BusFailureError'
  readonly code: string
  /** What the service said; null when it said nothing. */
  readonly response: AttemptResponse | null

  constructor(code: string, response: AttemptResponse | null = null, options?: ErrorOptions) {
    super(code, options)
    this.code = code
    this.response = response
  }
}

/**
 * Why there is no connection.
 *
 * @throws The error itself, when the fault is ours
 */
export function connectFailure(error: unknown, isTls: boolean): BusFailureError {
  if (!isError(error)) throw error
  const code = dialFailureCode(error, isTls)
  if (code === null) throw error
  return new BusFailureError(code, null, { cause: error })
}

/**
 * What a lost connection is for the messages under way.
 *
 * @param error - of the socket; null: the other side has ended it
 */
export function lossOf(error: Error | null): BusFailureError {
  if (error === null) return new BusFailureError('connection_reset')
  const code = error instanceof ProtocolFaultError ? 'protocol_error' : failureCode(error)
  return new BusFailureError(code ?? 'network_error', null, { cause: error })
}

/** A message that is more than the service says it takes; nothing was sent. */
export function tooLarge(maxBytes: number): BusFailureError {
  return new BusFailureError(
    'too_large',
    refused('too_large', `at most ${maxBytes} bytes`).response,
  )
}

/** Our codes for those of the SDK, which in turn stand for AMQP conditions. */
const SERVICE_CODES: Readonly<Record<string, string>> = {
  MessagingEntityNotFound: 'queue_not_found',
  // The SDK's name for `amqp:not-found` in words that it does not know.
  ServiceCommunicationProblem: 'queue_not_found',
  MessageSizeExceeded: 'too_large',
  QuotaExceeded: 'quota_exceeded',
  ServiceBusy: 'throttled',
}

/** What the SDK itself says while the service grants no credit to send with. */
const NO_CREDIT = /^(?:SenderBusy|InsufficientCredit)Error: /

/** Why the service refused a message, a link or a token. */
export function serviceFailure(error: unknown): BusFailureError {
  if (!isError(error)) return new BusFailureError('service_error', null, { cause: error })
  const { message } = error
  const name = errorCode(error)
  // Of the service's own and of the SDK's timeouts alike.
  if (name === 'ServiceTimeout') return new BusFailureError('timeout', null, { cause: error })
  if (NO_CREDIT.test(message)) return new BusFailureError('throttled', null, { cause: error })
  const code = name === 'UnauthorizedAccess' ? refusal(message) : SERVICE_CODES[name]
  const response = name === '' ? null : vendorAnswer(name, message)
  return new BusFailureError(code ?? 'service_error', response, { cause: error })
}

/** One AMQP condition stands for a signature that is wrong and for a policy without the claim Send. */
function refusal(message: string): string {
  return /\bclaims?\b/i.test(message) ? 'access_denied' : 'auth_failed'
}

import type { Log } from '@postrider/common'
import type { CallFailure } from '../batched-sends.ts'
import type { SendResult } from '../destination-type.ts'
import { dialFailureCode } from '../dial-failure-code.ts'
import { errorCode } from '../failure-code.ts'
import { retryAfterMs } from '../http/retry-after.ts'
import { isError } from '../is-error.ts'
import { failed } from '../send-result.ts'
import { vendorAnswer } from '../vendor-answer.ts'
import { answerText } from './answer-text.ts'
import { AnswerTooLongError } from './collect-answer.ts'
import { type AwsCredentials, withoutSecrets } from './credentials.ts'
import { NoAnswerError } from './no-answer-error.ts'
import { vendorCode } from './vendor-codes.ts'

/** What the codes of a client's failures depend on. */
export interface FailureContext {
  readonly credentials: AwsCredentials
  readonly isTls: boolean
  /** Names of errors that say that the target is not there, and the code for them. */
  readonly missing: { readonly names: readonly string[]; readonly code: string }
  readonly log: Log
}

/** What a service said when it refused a call, or one message of it. */
export interface VendorError {
  /** As the service calls it, such as `AccessDenied`; null when the answer has none. */
  readonly name: string | null
  readonly message: string
  /** The HTTP status; null in a call that succeeded otherwise. */
  readonly status: number | null
  readonly requestId: string | null
  /** The header; null without one. */
  readonly retryAfter?: string | null
}

/** The result of a message that the service refused. */
export function vendorFailure(error: VendorError, context: FailureContext): SendResult {
  const { missing, credentials } = context
  const { name, message, status, requestId, retryAfter = null } = error
  const isMissing = name !== null && missing.names.includes(name)
  const answer = vendorAnswer(name ?? '', withoutSecrets(message, credentials))
  const head = {
    ...(status === null ? {} : { status }),
    ...(name === null ? {} : answer.head),
    ...(requestId === null ? {} : { request_id: requestId }),
  }
  return {
    ...failed(isMissing ? missing.code : vendorCode(name, status)),
    response: { ...answer, head },
    // Dates are for documents; services say how many seconds.
    retryAfterMs:
      retryAfter !== null && /^\d+$/.test(retryAfter) ? retryAfterMs(retryAfter, 0) : null,
  }
}

/**
 * What came of a call that an SDK rejected.
 *
 * @throws What kept the connection from being made, when the fault is ours
 */
export function callFailure(error: unknown, context: FailureContext): CallFailure {
  if (error instanceof NoAnswerError) {
    return { result: failed(wayFailure(error.cause, context)), isAboutContent: false }
  }
  const answer = isError(error) ? vendorError(error) : null
  // Of a success: what comes with a refusal has its status.
  if (answer === null && error instanceof AnswerTooLongError) {
    return { result: unreadable(error.message), isAboutContent: false }
  }
  if (answer === null) return { result: unsendable(error, context), isAboutContent: false }
  const { status } = answer
  // The call was taken; of what became of it nothing can be read.
  if (status !== null && status < 300) {
    return { result: unreadable(answer.message), isAboutContent: false }
  }
  return { result: vendorFailure(answer, context), isAboutContent: mayBeAboutContent(answer) }
}

/**
 * The result of a message for which the SDK made no request, because it cannot from these settings, such
 * as `fips-us-east-1` with an endpoint or a bucket `x--x-s3`: it knows of more than validation does.
 */
function unsendable(error: unknown, { log }: FailureContext): SendResult {
  const reason = isError(error) ? error.message : String(error)
  log.warn('a request could not be made', { error_name: isError(error) ? error.name : '', reason })
  return failed('unsendable')
}

/** The result of a message of which the service did not say what became of it. */
export function unreadable(reason: string): SendResult {
  const response = { head: { status: 200 }, body: Buffer.from(reason), cut: false }
  return { ...failed('protocol_error'), response }
}

const ABOUT_CONTENT =
  /^(?:Invalid(?:Argument|Attribute|Message|Parameter)|Missing|Serialization|Validation)/

function mayBeAboutContent({ name, status }: VendorError): boolean {
  if (name === null) return status === 400 || status === 413
  return ABOUT_CONTENT.test(name) || vendorCode(name, status) === 'too_large'
}

/** Null: no answer has led to this error. */
function vendorError(error: Error): VendorError | null {
  const { $metadata: metadata, $response: response, $fault: fault } = error as SdkError
  const status = metadata?.httpStatusCode
  if (status === undefined) return null
  // Without `$fault` it is an error of the SDK, about an answer that it cannot read.
  const isNamed = fault !== undefined && error.name !== 'Unknown'
  return {
    name: isNamed ? answerText(error.name) : null,
    message: isNamed ? messageText(error.message) : 'The answer is not one of this service.',
    status,
    requestId: answerText(metadata?.requestId),
    retryAfter: response?.headers?.['retry-after'] ?? null,
  }
}

/** What a service has to say, all of it: there may be a secret in the middle. */
export function messageText(message: unknown): string {
  return typeof message === 'string' ? message : ''
}

/** @throws The error itself, when the fault is ours */
function wayFailure(error: Error, { isTls, log }: FailureContext): string {
  if (error.name === 'AbortError') return 'timeout'
  const failure = dialFailureCode(error, isTls)
  if (failure === null) throw error
  if (failure === 'network_error') {
    log.warn('a request failed in a way that has no code of its own', {
      error_name: error.name,
      error_code: errorCode(error),
    })
  }
  return failure
}

/** What the SDKs add to errors, where there was an answer. */
interface SdkError {
  readonly $fault?: string
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string }
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> }
}

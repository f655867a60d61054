import type { ServiceError } from '@grpc/grpc-js'
import type { AttemptResponse } from '@postrider/common'
import { failureCode } from '../failure-code.ts'
import { vendorAnswer } from '../vendor-answer.ts'

/** A failure of Pub/Sub or of the way to it; `code` is a documented code of attempts. */
export class TopicFailureError extends Error {
  override readonly name = 'TopicFailureError'
  readonly code: string
  /** What the service said; null when it said nothing. */
  readonly response: AttemptResponse | null
  /** The connection is of no more use. */
  readonly isLoss: boolean
  /** One of several messages may be the reason, and the others may be taken without it. */
  readonly isAboutContent: boolean

  constructor(
    code: string,
    { response = null, isLoss = false, isAboutContent = false }: Partial<Said> = {},
  ) {
    super(code)
    this.code = code
    this.response = response
    this.isLoss = isLoss
    this.isAboutContent = isAboutContent
  }
}

type Said = Pick<TopicFailureError, 'response' | 'isLoss' | 'isAboutContent'>

/** By number: https://grpc.io/docs/guides/status-codes/ */
const STATUSES: readonly { readonly name: string; readonly code: string }[] = [
  { name: 'OK', code: 'protocol_error' },
  { name: 'CANCELLED', code: 'service_error' },
  { name: 'UNKNOWN', code: 'service_error' },
  { name: 'INVALID_ARGUMENT', code: 'service_error' },
  { name: 'DEADLINE_EXCEEDED', code: 'timeout' },
  { name: 'NOT_FOUND', code: 'topic_not_found' },
  { name: 'ALREADY_EXISTS', code: 'service_error' },
  { name: 'PERMISSION_DENIED', code: 'access_denied' },
  { name: 'RESOURCE_EXHAUSTED', code: 'throttled' },
  { name: 'FAILED_PRECONDITION', code: 'service_error' },
  { name: 'ABORTED', code: 'service_error' },
  { name: 'OUT_OF_RANGE', code: 'service_error' },
  { name: 'UNIMPLEMENTED', code: 'service_error' },
  { name: 'INTERNAL', code: 'service_error' },
  { name: 'UNAVAILABLE', code: 'service_error' },
  { name: 'DATA_LOSS', code: 'service_error' },
  { name: 'UNAUTHENTICATED', code: 'auth_failed' },
]

const UNKNOWN = { name: 'UNKNOWN', code: 'service_error' }

/** What the library itself says about answers that are not of gRPC. */
const NO_GRPC =
  /^Received HTTP status|^Received message (?:larger|that decompresses)|\bProtocol error\b|parsing error/i

/** The statuses that the library gives to calls of whose end the service has said nothing. */
const OWN_STATUSES: ReadonlySet<string> = new Set([
  'CANCELLED',
  'UNKNOWN',
  'INTERNAL',
  'UNAVAILABLE',
])

/** Why a call failed that was not cancelled by us. */
export function callFailure(error: ServiceError, isTls: boolean): TopicFailureError {
  const { name, code } = STATUSES[error.code] ?? UNKNOWN
  if (NO_GRPC.test(error.details)) return new TopicFailureError('protocol_error', { isLoss: true })
  // An answer has headers; the library makes none up.
  const isOwn = OWN_STATUSES.has(name) && Object.keys(error.metadata.getMap()).length === 0
  if (isOwn) return new TopicFailureError(lossCode(error.details, isTls), { isLoss: true })
  const isAboutContent = name === 'INVALID_ARGUMENT'
  const isTooLarge = isAboutContent && /size exceeds/i.test(error.details)
  return new TopicFailureError(isTooLarge ? 'too_large' : code, {
    response: vendorAnswer(name, error.details),
    isAboutContent,
  })
}

const DIAL_FAILURE = /^No connection established\. Last error: /
const SYSTEM_ERROR = /\b(E[A-Z]{4,})\b/
const ENDED = /Failed to connect|closed|disconnected/i

/** All that the library tells of a lost connection is a text. */
function lossCode(details: string, isTls: boolean): string {
  const [, code] = SYSTEM_ERROR.exec(details) ?? []
  if (code !== undefined)
    return failureCode(Object.assign(new Error(details), { code })) ?? 'network_error'
  const isOfTls = isTls && DIAL_FAILURE.test(details) && !ENDED.test(details)
  return isOfTls ? 'tls_error' : 'connection_reset'
}

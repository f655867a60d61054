/**
 * Every code that an error answer can carry, and its status. A closed list: documented in
 * docs/errors.md, and what clients may switch on.
 */
const ERROR_STATUS = {
  invalid_json: 400,
  unauthorized: 401,
  forbidden: 403,
  tenant_not_found: 404,
  destination_not_found: 404,
  destination_type_not_found: 404,
  event_not_found: 404,
  attempt_not_found: 404,
  signing_keys_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  destination_exists: 409,
  event_id_conflict: 409,
  destination_limit_reached: 409,
  destination_disabled: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_error: 422,
  internal_error: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

export const ERROR_CODES = Object.keys(ERROR_STATUS) as readonly ErrorCode[]

export function statusOf(code: ErrorCode): number {
  return ERROR_STATUS[code]
}

/** The body of every error answer (docs/api.md). */
export interface ErrorBody {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  /** Sentences, each starting with the path of the field at fault. */
  readonly data?: readonly string[]
}

interface ApiErrorOptions {
  readonly data?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** A refusal that the caller is told as it is; everything else that is thrown becomes a 500. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly data: readonly string[]
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.code = code
    this.data = options.data ?? []
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return statusOf(this.code)
  }

  get body(): ErrorBody {
    const { status, code, message, data } = this
    return data.length === 0 ? { status, code, message } : { status, code, message, data }
  }
}

/** Beyond this many, further sentences help nobody and an answer could outgrow its request. */
const MAX_SENTENCES = 100

/** 422 with one sentence for each fault; a fault found twice is told once. */
export function validationError(faults: readonly string[]): ApiError {
  const distinct = [...new Set(faults)]
  const data = distinct.slice(0, MAX_SENTENCES)
  if (distinct.length > data.length) data.push(`… and ${distinct.length - data.length} more faults`)
  return new ApiError('validation_error', 'validation error', { data })
}

export function tenantNotFound(id: string): ApiError {
  return new ApiError('tenant_not_found', `there is no tenant ${id}`)
}

export function destinationNotFound(id: string): ApiError {
  return new ApiError('destination_not_found', `there is no destination ${id}`)
}

/** The same whether there is no such tenant or it has no keys: callers may be strangers. */
export function signingKeysNotFound(tenantId: string): ApiError {
  return new ApiError(
    'signing_keys_not_found',
    `there are no signing keys of a tenant ${tenantId}`,
    {
      // A tenant's first key may be made a moment later.
      headers: { 'cache-control': 'no-store' },
    },
  )
}

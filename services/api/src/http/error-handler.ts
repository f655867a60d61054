import type { ErrorRequestHandler, Response } from 'express'
import type { Log } from '@postrider/common'
import { reactionTo } from '@postrider/store'
import { RequestAbortedError } from './body.ts'
import { ApiError } from './errors.ts'
import { requestIdOf } from './request-id.ts'
import { send } from './send.ts'

/** How long a caller is asked to wait when Postgres is away: about what a restart of it takes. */
const RETRY_AFTER_SECONDS = '5'

/** The one place that answers for what was thrown. */
export function errorHandler(log: Log): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (error instanceof RequestAbortedError) return
    if (res.headersSent) {
      // Too late for another answer; express cuts the connection, so that nobody takes half of one
      // for a whole.
      next(error)
      return
    }
    const refusal = refusalOf(error)
    if (refusal.code === 'internal_error' || refusal.code === 'unavailable') {
      const fields = { requestId: requestIdOf(res), method: req.method, path: req.path, error }
      if (refusal.code === 'internal_error') log.error('request failed', fields)
      else log.warn('request failed: postgres is away', fields)
    }
    answer(res, refusal)
  }
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  // express' router found a path parameter that is not percent-encoded text.
  if (error instanceof URIError) return new ApiError('not_found', 'no such path')
  const reaction = reactionTo(error)
  // `again` gets here only after it was tried again, or was a timeout.
  if (reaction === 'away' || reaction === 'again') {
    return new ApiError('unavailable', 'the service cannot reach its database, try again later', {
      headers: { 'retry-after': RETRY_AFTER_SECONDS },
    })
  }
  return new ApiError('internal_error', 'internal error')
}

function answer(res: Response, error: ApiError): void {
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value)
  send(res, error.status, error.body)
}

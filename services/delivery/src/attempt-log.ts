import { type AttemptResult, attemptIdOf, type Log } from '@postrider/common'
import type { WrittenOutcome } from '@postrider/store'
import type { Flight } from './flight.ts'

/** One wide line for each attempt: failures at info, successes at debug. */
export function describeAttempt(
  log: Log,
  flight: Flight,
  attempt: AttemptResult,
  written: WrittenOutcome,
): void {
  const fields = {
    ...flight.ids(),
    attemptId: attemptIdOf(attempt.uid),
    attempt: written.attemptNumber,
    status: attempt.status,
    code: attempt.code,
    durationMs: attempt.durationMs,
    manual: flight.job.manual,
    stale: written.next === null,
    reason: written.next?.reason ?? null,
    nextInMs: written.next?.dueInMs ?? null,
  }
  if (attempt.status === 'success') log.debug('delivery attempted', fields)
  else log.info('delivery attempted', fields)
}

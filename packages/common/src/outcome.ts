import { retryDelayMs, type RetryPolicy } from './backoff.ts'
import type { DeliveryReason, DeliveryStatus, DispatchKey } from './delivery.ts'

/**
 * What comes of a job, and the one function that decides what it leads to.
 *
 * A job fails in one of three stages, and each leads elsewhere:
 *
 * - **before** the attempt, by our own fault (`fault`): nothing was sent; back off, and do not count
 *   it as a try. After `MAX_FAULTS` of them it becomes a recorded attempt `internal_error`, so that
 *   the tenant sees that something is wrong.
 * - **the attempt** (`failed`): the receiver's or the tenant's; recorded, and retried on the schedule.
 * - **after** the attempt, when the outcome cannot be written: no outcome at all. The writer repeats
 *   the batch; if the process dies, the lease ends and the delivery comes back.
 */

/** Faults of ours in a row before one is recorded as an attempt. */
export const MAX_FAULTS = 20

/** Dispatches that ended without any outcome before a delivery is given up with an alert. */
export const MAX_LOSSES = 10

/** The recorded result of one try. */
export interface AttemptResult {
  /** The attempt's uid, made when the send ended: it makes writing the outcome repeatable. */
  readonly uid: string
  readonly status: 'success' | 'failed'
  /** HTTP status or error code; always text. */
  readonly code: string
  /** Unix milliseconds, by Postgres' clock, at which the try began. */
  readonly timeMs: number
  readonly durationMs: number
  /** What the receiver answered; null when it did not, or when there is nothing to keep. */
  readonly response: AttemptResponse | null
}

/** A receiver's answer, as it is stored. Bodies are bytes: they may hold anything. */
export interface AttemptResponse {
  /** Small facts such as status and chosen headers; must be JSON. */
  readonly head: Readonly<Record<string, unknown>>
  readonly body: Buffer
  /** The body was longer and was cut. */
  readonly cut: boolean
}

export type Outcome =
  | {
      readonly kind: 'attempted'
      readonly attempt: AttemptResult
      /** The receiver asked not to be tried before this many milliseconds; null: it did not. */
      readonly retryAfterMs: number | null
      /** The destination's version that was used, when this outcome asks to disable it (410). */
      readonly disableVersion: number | null
    }
  | { readonly kind: 'fault'; readonly attempt: AttemptResult }
  | { readonly kind: 'deferred'; readonly delayMs: number }

/** An outcome and the dispatch it belongs to. */
export interface JobOutcome extends DispatchKey {
  readonly tenantUid: string
  /** The job was made by hand. */
  readonly manual: boolean
  readonly outcome: Outcome
}

/** The part of a delivery's row that decisions depend on, as read under its lock. */
export interface DeliveryState {
  readonly status: DeliveryStatus
  readonly dispatch: number
  readonly leased: boolean
  /** Attempts recorded so far: the numbering. */
  readonly attempts: number
  /** Attempts that count against the schedule. */
  readonly tries: number
  readonly faults: number
  /** The current dispatch was made by hand. */
  readonly manual: boolean
  readonly eligibleForRetry: boolean
  /** Milliseconds from now until the retry that a manual attempt interrupted; null: there was none. */
  readonly resumeInMs: number | null
  /** Milliseconds since the publish, manual retry or replay that opened the delivery. */
  readonly openForMs: number
}

export interface OutcomePolicy {
  readonly retry: RetryPolicy
  /** A delivery open longer than this ends as failed, `expired`. */
  readonly maxAgeMs: number
}

/** The row as it shall be. `dueInMs` null: nothing more to do. The lease is over in any case. */
export interface NextState {
  readonly status: DeliveryStatus
  readonly reason: DeliveryReason | null
  readonly dueInMs: number | null
  readonly tries: number
  readonly faults: number
}

/** What an outcome leads to. */
export interface Decision {
  /** The attempt to record, or null. */
  readonly attempt: AttemptResult | null
  /** The change to the row; null when the outcome is stale and changes nothing. */
  readonly next: NextState | null
}

/**
 * Decides what an outcome leads to (ARCHITECTURE.md, "Delivery, and the five rules", rules 1 and 4).
 *
 * A stale outcome (another dispatch than the row's) keeps its attempt and changes nothing else; only
 * a stale success still sets `success`, unless the row's dispatch was made by hand.
 *
 * @param random - a number in [0, 1), for the jitter
 */
export function decide(
  state: DeliveryState,
  job: JobOutcome,
  policy: OutcomePolicy,
  random: number,
): Decision {
  const { outcome } = job
  const stale = job.dispatch !== state.dispatch || !state.leased
  switch (outcome.kind) {
    case 'deferred':
      return {
        attempt: null,
        next: stale ? null : { ...unchanged(state), dueInMs: outcome.delayMs },
      }
    case 'fault': {
      if (stale) return { attempt: null, next: null }
      const faults = state.faults + 1
      if (faults < MAX_FAULTS) {
        return {
          attempt: null,
          next: { ...unchanged(state), faults, dueInMs: faultDelayMs(faults, random) },
        }
      }
      return {
        attempt: outcome.attempt,
        next: afterFailure(state, null, policy, random),
      }
    }
    case 'attempted': {
      if (outcome.attempt.status === 'success') {
        const applies = !stale || (!state.manual && state.status !== 'success')
        return {
          attempt: outcome.attempt,
          // A stale try is not one of the schedule's.
          next: applies ? succeeded(stale ? state.tries : countTry(state)) : null,
        }
      }
      return {
        attempt: outcome.attempt,
        next: stale ? null : afterFailure(state, outcome.retryAfterMs, policy, random),
      }
    }
  }
}

function unchanged(state: DeliveryState): Omit<NextState, 'dueInMs'> {
  return { status: state.status, reason: null, tries: state.tries, faults: state.faults }
}

function succeeded(tries: number): NextState {
  return { status: 'success', reason: null, dueInMs: null, tries, faults: 0 }
}

function countTry(state: DeliveryState): number {
  return state.manual ? state.tries : state.tries + 1
}

function afterFailure(
  state: DeliveryState,
  retryAfterMs: number | null,
  policy: OutcomePolicy,
  random: number,
): NextState {
  const tries = countTry(state)
  const final = (reason: DeliveryReason): NextState => ({
    status: 'failed',
    reason,
    dueInMs: null,
    tries,
    faults: 0,
  })
  if (!state.eligibleForRetry) return final('not_eligible_for_retry')
  // After a manual attempt the earlier schedule goes on as if it had not been made.
  const scheduled = state.manual ? state.resumeInMs : retryDelayMs(policy.retry, tries, random)
  if (scheduled === null) return final('retries_exhausted')
  const dueInMs = Math.max(0, scheduled, retryAfterMs ?? 0)
  if (state.openForMs + dueInMs > policy.maxAgeMs) return final('expired')
  return { status: 'failed', reason: null, dueInMs, tries, faults: 0 }
}

/** The wait after the n-th fault of ours in a row: 1 s doubling to 5 minutes, up to 10 % more. */
function faultDelayMs(faults: number, random: number): number {
  return Math.round(Math.min(1000 * 2 ** (faults - 1), 300_000) * (1 + 0.1 * random))
}

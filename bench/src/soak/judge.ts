import type { AttemptAnswer } from './api.ts'
import { type Arrival, isHad } from './ledger.ts'

/** One delivery, as Postrider tells it and as the servers saw it. */
export interface Case {
  /** Of the delivery; null: Postrider does not know it. */
  readonly status: string | null
  /** Why there is no further try; null: it does not say. */
  readonly reason: string | null
  /** Oldest first. */
  readonly attempts: readonly AttemptAnswer[]
  /** In their order. */
  readonly arrivals: readonly Arrival[]
  /** Of the data that was published. */
  readonly hash: string
  readonly isIll: boolean
  /** The server sees every try, not only what it takes. */
  readonly seesTries: boolean
}

/** RETRY_SCHEDULE=1,1,1. */
const MAX_ATTEMPTS = 4

/** Codes of attempts after which nobody knows whether the server has the message. */
const OPEN_CODES: ReadonlySet<string> = new Set(['timeout', 'connection_reset', 'network_error'])

/** Codes of attempts in which nothing was sent. */
const UNSENT_CODES: ReadonlySet<string> = new Set(['connection_refused'])

/** Codes with which only the server itself can have refused a message, where it does not see tries. */
const REFUSAL_CODES: ReadonlySet<string> = new Set([
  'unroutable',
  'exchange_not_found',
  'throttled',
  'access_denied',
  'service_error',
  'queue_not_found',
  'topic_not_found',
])

/** Whether a delivery can still change. */
export function hasEnded({ status, attempts }: Pick<Case, 'status' | 'attempts'>): boolean {
  const last = attempts.at(-1)
  return last !== undefined && last.status === status && last.next_attempt_at === null
}

/** Arrivals that no attempt stands for. */
export function doubledOf({ attempts, arrivals, seesTries }: Case): number {
  if (seesTries) return Math.max(0, arrivals.length - attempts.length)
  // Of those attempts that are known to have failed for good none can have arrived.
  const possible = attempts.filter(({ status, code }) => status === 'success' || isOpen(code))
  return Math.max(0, arrivals.length - possible.length)
}

/**
 * What is not true of a delivery. The servers' word is compared with Postrider's by counting: which of
 * two tries of one event was which cannot always be told.
 */
export function untruths(given: Case): readonly string[] {
  const { status, attempts } = given
  if (status === null) return ['is lost: no list has it']
  if (!hasEnded(given)) return [`has not ended: ${status} after ${attempts.length} attempts`]
  const faults = [...recordFaults(given), ...arrivalFaults(given)]
  faults.push(...(given.seesTries ? tryFaults(given) : codeFaults(given)))
  if (!given.isIll) faults.push(...healthyFaults(given))
  return faults
}

/** In what Postrider says of itself. */
function recordFaults({ status, reason, attempts }: Case): string[] {
  const faults: string[] = []
  if (attempts.some(({ attempt_number }, i) => attempt_number !== i + 1)) {
    faults.push('has attempts that are not numbered from 1')
  }
  if (attempts.slice(0, -1).some((attempt) => attempt.status === 'success')) {
    faults.push('was tried again after a success')
  }
  if (status !== 'success' && status !== 'failed') faults.push(`ended as ${status}`)
  if (attempts.length > MAX_ATTEMPTS) faults.push(`has ${attempts.length} attempts`)
  if (status === 'failed' && (attempts.length !== MAX_ATTEMPTS || reason !== 'retries_exhausted')) {
    faults.push(`failed after ${attempts.length} attempts, for ${reason ?? 'no reason'}`)
  }
  return faults
}

/** In what the server has, and in what bytes. */
function arrivalFaults(given: Case): string[] {
  const { status, arrivals, attempts, hash } = given
  const faults: string[] = []
  const had = arrivals.filter(isHad).length
  const successes = status === 'success' ? 1 : 0
  const open = attempts.filter((attempt) => attempt.status === 'failed' && isOpen(attempt.code))
  if (had < successes) faults.push('is a success that the server does not have')
  if (had > successes + open.length) {
    faults.push(`arrived ${had} times, which ${open.length} open attempts do not explain`)
  }
  if (arrivals.some((arrival) => arrival.hash !== hash)) faults.push('arrived with other bytes')
  if (doubledOf(given) > 0) faults.push(`was sent ${doubledOf(given)} times too often`)
  return faults
}

/** In each try, by a server that sees them all. */
function tryFaults({ status, arrivals, attempts }: Case): string[] {
  const faults: string[] = []
  const count = (deed: string): number => arrivals.filter((each) => each.deed === deed).length
  const failed = attempts.filter((attempt) => attempt.status === 'failed')
  const open = failed.filter(({ code }) => isOpen(code)).length
  const successes = status === 'success' ? 1 : 0
  if (count('acknowledged') < successes) faults.push('is a success that nobody acknowledged')
  const unanswered = count('lost') + count('silent') + count('acknowledged') - successes
  if (unanswered > open) {
    faults.push(`has ${open} attempts without an answer, and the server left ${unanswered}`)
  }
  for (const code of new Set(failed.map((attempt) => attempt.code))) {
    if (isOpen(code) || UNSENT_CODES.has(code)) continue
    const said = arrivals.filter((arrival) => arrival.code === code).length
    const recorded = failed.filter((attempt) => attempt.code === code).length
    if (recorded > said) faults.push(`has ${recorded} attempts ${code}, of which ${said} were said`)
  }
  const unseen = attempts.length - arrivals.length
  const unsent = failed.filter(({ code }) => isOpen(code) || UNSENT_CODES.has(code)).length
  if (unseen > unsent) faults.push(`has ${unseen} attempts that the server did not see`)
  return faults
}

/** In what failures are called, where their server does not see them. */
function codeFaults({ attempts }: Case): string[] {
  const unknown = attempts.find(
    ({ status, code }) =>
      status === 'failed' && !isOpen(code) && !UNSENT_CODES.has(code) && !REFUSAL_CODES.has(code),
  )
  return unknown === undefined ? [] : [`failed with ${unknown.code}, which nothing explains`]
}

/** A server that is well is only ever too late, on a machine that has too much to do. */
function healthyFaults({ status, attempts, arrivals }: Case): string[] {
  const faults: string[] = []
  if (status !== 'success') faults.push('failed although its server is well')
  const other = attempts.filter(
    (attempt) => attempt.status === 'failed' && attempt.code !== 'timeout',
  )
  if (other.length > 0) faults.push(`failed with ${other[0]?.code}, and its server is well`)
  if (attempts.length === 1 && arrivals.length !== 1) {
    faults.push(`arrived ${arrivals.length} times`)
  }
  return faults
}

function isOpen(code: string): boolean {
  return OPEN_CODES.has(code)
}

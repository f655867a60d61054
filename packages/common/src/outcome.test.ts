import * as fc from 'fast-check'
import type { DeliveryStatus } from './delivery.ts'
import {
  type AttemptResult,
  decide,
  type Decision,
  type DeliveryState,
  type JobOutcome,
  MAX_FAULTS,
  type Outcome,
  type OutcomePolicy,
} from './outcome.ts'

const SECOND = 1000
const DAY = 86_400 * SECOND

const policy: OutcomePolicy = {
  retry: { kind: 'schedule', delaysMs: [5 * SECOND, 60 * SECOND] },
  maxAgeMs: 7 * DAY,
}

const fresh: DeliveryState = {
  status: 'pending',
  dispatch: 3,
  leased: true,
  attempts: 0,
  tries: 0,
  faults: 0,
  manual: false,
  eligibleForRetry: true,
  resumeInMs: null,
  openForMs: 0,
}

function attempt(status: AttemptResult['status']): AttemptResult {
  return { uid: 'u', status, code: '0', timeMs: 1, durationMs: 2, response: null }
}

const success: Outcome = {
  kind: 'attempted',
  attempt: attempt('success'),
  retryAfterMs: null,
  disableVersion: null,
}
const failure = { ...success, attempt: attempt('failed') } satisfies Outcome
const fault: Outcome = { kind: 'fault', attempt: attempt('failed') }
const deferral: Outcome = { kind: 'deferred', delayMs: 700 }

function outcomeOf(outcome: Outcome, dispatch = fresh.dispatch): JobOutcome {
  return {
    eventUid: 'e',
    destinationUid: 'd',
    receivedAt: 'r',
    tenantUid: 't',
    dispatch,
    manual: false,
    outcome,
  }
}

function decided(state: Partial<DeliveryState>, outcome: Outcome, random = 0): Decision {
  return decide({ ...fresh, ...state }, outcomeOf(outcome), policy, random)
}

describe('a success', () => {
  it('ends the delivery', () => {
    expect(decided({ status: 'failed', tries: 1, faults: 4 }, success)).toEqual({
      attempt: attempt('success'),
      next: { status: 'success', reason: null, dueInMs: null, tries: 2, faults: 0 },
    })
  })
})

describe('a failure', () => {
  it('is retried when the schedule says', () => {
    expect(decided({ faults: 4 }, failure)).toEqual({
      attempt: attempt('failed'),
      next: { status: 'failed', reason: null, dueInMs: 5 * SECOND, tries: 1, faults: 0 },
    })
    expect(decided({ tries: 1 }, failure).next?.dueInMs).toBe(60 * SECOND)
  })

  it('is retried with jitter when the policy has one', () => {
    const exponential: OutcomePolicy = {
      ...policy,
      retry: { kind: 'exponential', intervalMs: 1000, maxRetries: 1 },
    }
    expect(decide(fresh, outcomeOf(failure), exponential, 0.5).next?.dueInMs).toBe(1050)
  })

  it('waits as long as the receiver asked, but never less than the schedule', () => {
    const long = { ...failure, retryAfterMs: 90 * SECOND }
    const short = { ...failure, retryAfterMs: 1 }
    expect(decided({}, long).next?.dueInMs).toBe(90 * SECOND)
    expect(decided({}, short).next?.dueInMs).toBe(5 * SECOND)
  })

  it.each([
    ['no tries are left', { tries: 2 }, 'retries_exhausted'],
    ['the event is not eligible for retry', { eligibleForRetry: false }, 'not_eligible_for_retry'],
    ['the next try would come too late', { openForMs: 7 * DAY }, 'expired'],
  ])('is final when %s', (_when, state, reason) => {
    expect(decided(state, failure).next).toMatchObject({ status: 'failed', reason, dueInMs: null })
  })
})

describe('a fault of ours', () => {
  it('backs off for longer each time, up to five minutes, and is no attempt', () => {
    const delays = [0, 1, 2, 10, 18].map((faults) => decided({ faults }, fault).next?.dueInMs)
    expect(delays).toEqual([1000, 2000, 4000, 300_000, 300_000])
    expect(decided({ faults: 2, tries: 1, status: 'failed' }, fault, 0.5)).toEqual({
      attempt: null,
      next: { status: 'failed', reason: null, dueInMs: 4200, tries: 1, faults: 3 },
    })
  })

  it('is recorded as a failed attempt when there were too many in a row', () => {
    expect(decided({ faults: MAX_FAULTS - 1 }, fault)).toEqual({
      attempt: attempt('failed'),
      next: { status: 'failed', reason: null, dueInMs: 5 * SECOND, tries: 1, faults: 0 },
    })
  })
})

describe('a deferral', () => {
  it('only moves the due time', () => {
    expect(decided({ status: 'failed', tries: 1, faults: 2 }, deferral)).toEqual({
      attempt: null,
      next: { status: 'failed', reason: null, dueInMs: 700, tries: 1, faults: 2 },
    })
  })
})

describe('a manual attempt', () => {
  it('that fails lets the schedule go on that it interrupted, without counting', () => {
    const state = { manual: true, status: 'failed', tries: 1, resumeInMs: 3000 } as const
    expect(decided(state, failure).next).toEqual({
      status: 'failed',
      reason: null,
      dueInMs: 3000,
      tries: 1,
      faults: 0,
    })
  })

  it('that fails is due at once when the interrupted retry is overdue', () => {
    expect(decided({ manual: true, resumeInMs: -500 }, failure).next?.dueInMs).toBe(0)
  })

  it('that fails is final when there was no schedule to go on', () => {
    expect(decided({ manual: true, tries: 2 }, failure).next).toMatchObject({
      reason: 'retries_exhausted',
      dueInMs: null,
      tries: 2,
    })
  })

  it('that succeeds ends the delivery without counting', () => {
    expect(decided({ manual: true, tries: 2 }, success).next).toMatchObject({
      status: 'success',
      tries: 2,
    })
  })
})

describe('a stale outcome', () => {
  const stale: [string, Partial<DeliveryState>][] = [
    ['of an older dispatch', { dispatch: 4 }],
    ['of a dispatch that is no longer out', { leased: false }],
  ]

  it.each(stale)('%s keeps a failed attempt and changes nothing else', (_which, state) => {
    expect(decided(state, failure)).toEqual({ attempt: attempt('failed'), next: null })
  })

  it.each(stale)('%s changes nothing by a fault or a deferral', (_which, state) => {
    const nothing = { attempt: null, next: null }
    expect(decided(state, fault)).toEqual(nothing)
    expect(decided({ ...state, faults: MAX_FAULTS - 1 }, fault)).toEqual(nothing)
    expect(decided(state, deferral)).toEqual(nothing)
  })

  it.each(stale)('%s that is a success sets success, and is no try of the schedule', (_, state) => {
    expect(decided({ ...state, status: 'failed', tries: 2 }, success)).toEqual({
      attempt: attempt('success'),
      next: { status: 'success', reason: null, dueInMs: null, tries: 2, faults: 0 },
    })
  })

  it.each(stale)('%s that is a success does not stop an attempt asked for by hand', (_, state) => {
    expect(decided({ ...state, manual: true }, success)).toEqual({
      attempt: attempt('success'),
      next: null,
    })
  })

  it.each(stale)('%s that is a success changes nothing of a success', (_, state) => {
    expect(decided({ ...state, status: 'success' }, success).next).toBeNull()
  })
})

describe('whatever the state and the outcome', () => {
  const maxRetries = 3
  const retry = fc.oneof(
    fc.record({
      kind: fc.constant('exponential' as const),
      intervalMs: fc.integer({ min: 1, max: DAY }),
      maxRetries: fc.constant(maxRetries),
    }),
    fc.record({
      kind: fc.constant('schedule' as const),
      delaysMs: fc.array(fc.nat({ max: DAY }), { minLength: maxRetries, maxLength: maxRetries }),
    }),
  )
  const policies: fc.Arbitrary<OutcomePolicy> = fc.record({
    retry,
    maxAgeMs: fc.integer({ min: 1, max: 30 * DAY }),
  })
  const outcomes: fc.Arbitrary<Outcome> = fc.oneof(
    fc.constantFrom(success, failure, fault, deferral),
    fc.nat({ max: 2 * DAY }).map((retryAfterMs) => ({ ...failure, retryAfterMs })),
  )
  const states: fc.Arbitrary<DeliveryState> = fc.record({
    status: fc.constantFrom<DeliveryStatus>('pending', 'failed', 'success', 'skipped'),
    dispatch: fc.integer({ min: 1, max: 3 }),
    leased: fc.boolean(),
    attempts: fc.nat({ max: 50 }),
    // A delivery whose tries are used up is final; only by hand there is one more job of it.
    tries: fc.nat({ max: maxRetries }),
    faults: fc.nat({ max: MAX_FAULTS - 1 }),
    manual: fc.boolean(),
    eligibleForRetry: fc.boolean(),
    resumeInMs: fc.option(fc.integer({ min: -DAY, max: DAY })),
    openForMs: fc.nat({ max: 30 * DAY }),
  })
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  const dispatch = fc.integer({ min: 1, max: 3 })

  const check = (
    property: (state: DeliveryState, job: JobOutcome, decision: Decision) => void,
  ): void => {
    fc.assert(
      fc.property(states, outcomes, dispatch, policies, random, (state, outcome, d, rules, r) => {
        const job = outcomeOf(outcome, d)
        property(state, job, decide(state, job, rules, r))
      }),
      { numRuns: 1000 },
    )
  }

  it('a stale outcome never changes the row, except to success', () => {
    check((state, job, { next }) => {
      const isStale = job.dispatch !== state.dispatch || !state.leased
      expect(isStale && next !== null && next.status !== 'success').toBe(false)
    })
  })

  it('a failure that is final has a reason, and nothing else has; what has a reason is not due', () => {
    check((_state, _job, { next }) => {
      const isOver = next === null || next.dueInMs === null
      const hasReason = (next?.reason ?? null) !== null
      expect(hasReason).toBe(isOver && next?.status === 'failed')
    })
  })

  it('what is due is due now or later', () => {
    check((_state, _job, { next }) => {
      expect(next?.dueInMs ?? 0).toBeGreaterThanOrEqual(0)
    })
  })

  it('an attempt is counted once, one by hand never, and no more than the policy allows', () => {
    check((state, _job, { attempt: recorded, next }) => {
      const counted = (next?.tries ?? state.tries) - state.tries
      const most = recorded === null || state.manual ? 0 : 1
      expect(counted).toBeGreaterThanOrEqual(0)
      expect(counted).toBeLessThanOrEqual(most)
      expect(next?.tries ?? 0).toBeLessThanOrEqual(maxRetries + 1)
    })
  })

  it('what was sent is recorded, and what was not is not', () => {
    check((_state, { outcome }, { attempt: recorded }) => {
      expect(recorded === null && outcome.kind === 'attempted').toBe(false)
      expect(recorded !== null && outcome.kind === 'deferred').toBe(false)
    })
  })
})

/** The row after one more job with this outcome, while there is something to do. */
function advance(state: DeliveryState, outcome: Outcome): DeliveryState {
  if (!state.leased) return state
  const { next } = decide(state, outcomeOf(outcome), policy, 0)
  return { ...state, ...next, leased: next?.dueInMs !== null, manual: false, resumeInMs: null }
}

function byHand(state: DeliveryState): DeliveryState {
  return advance({ ...state, manual: true, resumeInMs: state.leased ? 1 : null }, failure)
}

describe('a delivery from beginning to end', () => {
  it('is tried once and retried twice, as the policy says, whatever comes in between', () => {
    const between = fc.array(fc.constantFrom(fault, deferral, 'by hand' as const), {
      maxLength: 15,
    })
    fc.assert(
      fc.property(fc.array(between, { minLength: 4, maxLength: 4 }), (rounds) => {
        const tries: number[] = []
        let state = fresh
        for (const events of rounds) {
          for (const event of events) {
            state = event === 'by hand' ? byHand(state) : advance(state, event)
          }
          state = advance(state, failure)
          tries.push(state.tries)
        }
        expect(tries).toEqual([1, 2, 3, 3])
        expect(state.leased).toBe(false)
      }),
    )
  })
})

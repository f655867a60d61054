import type { AttemptAnswer } from './api.ts'
import { type Case, doubledOf, untruths } from './judge.ts'
import type { Arrival, Deed } from './ledger.ts'

const HASH = 'the hash of its data'

/** Attempts with these codes; a number below 300 is a success. */
function attempts(...codes: readonly string[]): readonly AttemptAnswer[] {
  return codes.map((code, i) => ({
    event_id: 'e-1',
    attempt_number: i + 1,
    status: Number(code) < 300 ? 'success' : 'failed',
    code,
    next_attempt_at: i === codes.length - 1 ? null : '2026-11-21T12:00:00.000Z',
  }))
}

/** What an ill server did; a deed with a code is a refusal. */
function arrivals(...deeds: readonly string[]): readonly Arrival[] {
  return deeds.map((deed) =>
    /^\d/.test(deed)
      ? { deed: 'refused', code: deed, hash: HASH }
      : { deed: deed as Deed, code: null, hash: HASH },
  )
}

function delivery(changes: Partial<Case>): Case {
  return {
    status: 'success',
    reason: null,
    attempts: attempts('200'),
    arrivals: arrivals('acknowledged'),
    hash: HASH,
    isIll: true,
    seesTries: true,
    ...changes,
  }
}

const EXHAUSTED = { status: 'failed', reason: 'retries_exhausted' }

describe('the judge of a soak', () => {
  it.each<readonly [string, Partial<Case>]>([
    ['arrives at once', {}],
    [
      'arrives after refusals, silence and a lost answer',
      {
        attempts: attempts('503', 'timeout', 'connection_reset', '200'),
        arrivals: arrivals('503', 'silent', 'lost', 'acknowledged'),
      },
    ],
    [
      'waits behind others until its time is over, and never gets to the server',
      { attempts: attempts('timeout', '200'), arrivals: arrivals('acknowledged') },
    ],
    [
      'fails although the server has it, whose answers were lost',
      {
        ...EXHAUSTED,
        attempts: attempts('500', '500', 'connection_reset', '500'),
        arrivals: arrivals('500', '500', 'lost', '500'),
      },
    ],
    [
      'arrives twice at a server that sees no tries, one of which had no answer',
      {
        seesTries: false,
        attempts: attempts('timeout', 'unroutable', '200'),
        arrivals: arrivals('taken', 'taken'),
      },
    ],
    [
      'comes too late to a server that is well',
      {
        isIll: false,
        attempts: attempts('timeout', '200'),
        arrivals: arrivals('acknowledged', 'acknowledged'),
      },
    ],
  ])('believes a delivery that %s', (_, changes) => {
    expect(untruths(delivery(changes))).toEqual([])
  })

  it.each<readonly [string, Partial<Case>]>([
    ['is lost: no list has it', { status: null }],
    ['has not ended: pending after 0 attempts', { status: 'pending', attempts: [] }],
    ['is a success that the server does not have', { arrivals: arrivals('silent') }],
    ['is a success that nobody acknowledged', { arrivals: arrivals('lost') }],
    ['was sent 1 times too often', { arrivals: arrivals('acknowledged', 'acknowledged') }],
    [
      'was tried again after a success',
      { attempts: attempts('200', '200'), arrivals: arrivals('acknowledged', 'acknowledged') },
    ],
    [
      'arrived with other bytes',
      { arrivals: [{ deed: 'acknowledged', code: null, hash: 'of something else' }] },
    ],
    [
      'failed after 1 attempts, for no reason',
      { status: 'failed', attempts: attempts('500'), arrivals: arrivals('500') },
    ],
    [
      'has 4 attempts 500, of which 3 were said',
      {
        ...EXHAUSTED,
        attempts: attempts('500', '500', '500', '500'),
        arrivals: arrivals('500', '500', '500', '503'),
      },
    ],
    [
      'has 0 attempts without an answer, and the server left 1',
      { attempts: attempts('500', '200'), arrivals: arrivals('lost', 'acknowledged') },
    ],
    [
      'has 1 attempts that the server did not see',
      { attempts: attempts('500', '200'), arrivals: arrivals('acknowledged') },
    ],
    [
      'arrived 2 times, which 0 open attempts do not explain',
      {
        seesTries: false,
        attempts: attempts('unroutable', '200'),
        arrivals: arrivals('taken', 'taken'),
      },
    ],
    [
      'failed with 500, and its server is well',
      {
        isIll: false,
        attempts: attempts('500', '200'),
        arrivals: arrivals('500', 'acknowledged'),
      },
    ],
    [
      'failed with auth_failed, which nothing explains',
      {
        seesTries: false,
        attempts: attempts('auth_failed', '200'),
        arrivals: arrivals('taken'),
      },
    ],
  ])('finds that a delivery %s', (untruth, changes) => {
    expect(untruths(delivery(changes))).toContain(untruth)
  })

  it('counts what was sent although nothing asked for it', () => {
    expect(doubledOf(delivery({}))).toBe(0)
    expect(doubledOf(delivery({ arrivals: arrivals('acknowledged', 'acknowledged') }))).toBe(1)
  })
})

import { isInForce } from './tenant-tokens.ts'

const HOUR_S = 3600
/** 21 November 2026, 12:00 and 300 ms. */
const NOW_MS = 1_795_262_400_300
const NOW_S = NOW_MS / 1000

interface Given {
  readonly issuedAt?: number
  readonly expiresAt?: number
  readonly madeAtMs?: number
}

/** Issued now, for 24 hours, to a tenant that is old; unless told otherwise. */
function holds({ issuedAt = NOW_S, expiresAt, madeAtMs = 0 }: Given): boolean {
  return isInForce(
    { tenantId: 'acme', issuedAt, expiresAt: expiresAt ?? issuedAt + 24 * HOUR_S },
    { madeAtMs, nowMs: NOW_MS },
  )
}

describe('a token of a tenant', () => {
  it.each([
    ['just issued', {}],
    ['issued a day ago, but for a millisecond', { issuedAt: NOW_S - 24 * HOUR_S + 0.001 }],
    ['short-lived', { issuedAt: NOW_S - 10, expiresAt: NOW_S + 1 }],
    ['issued in the millisecond in which the tenant was made', { madeAtMs: NOW_MS }],
    [
      'issued in the second in which the tenant was made',
      { issuedAt: 1_795_262_400, madeAtMs: NOW_MS },
    ],
    ['issued by a clock that is a little ahead', { issuedAt: NOW_S + 59 }],
  ])('holds when it is %s', (_, given) => {
    expect(holds(given)).toBe(true)
  })

  it.each([
    ['a day old', { issuedAt: NOW_S - 24 * HOUR_S }],
    ['over', { issuedAt: NOW_S - 10, expiresAt: NOW_S }],
    ['older than the tenant', { issuedAt: NOW_S - 0.001, madeAtMs: NOW_MS }],
    ['older than the tenant by its second', { issuedAt: 1_795_262_399, madeAtMs: NOW_MS }],
    ['for more than a day', { expiresAt: NOW_S + 24 * HOUR_S + 1 }],
    ['of the future', { issuedAt: NOW_S + 61 }],
    ['of no time at all', { issuedAt: Number.NaN, expiresAt: Number.NaN }],
    ['of a time that no calendar has', { issuedAt: 1e300, expiresAt: 1e300 }],
  ])('does not hold when it is %s', (_, given) => {
    expect(holds(given)).toBe(false)
  })
})

import * as fc from 'fast-check'
import { type RetryPolicy, retryDelayMs } from './backoff.ts'

const DAY_MS = 24 * 60 * 60 * 1000

describe('exponential retries', () => {
  const policy: RetryPolicy = { kind: 'exponential', intervalMs: 30_000, maxRetries: 3 }

  it.each([
    [1, 30_000, 33_000],
    [2, 60_000, 66_000],
    [3, 120_000, 132_000],
  ])('wait after try %i from %i to %i milliseconds', (triesMade, least, most) => {
    expect(retryDelayMs(policy, triesMade, 0)).toBe(least)
    expect(retryDelayMs(policy, triesMade, 1)).toBe(most)
  })

  it('end when there have been as many as allowed', () => {
    expect(retryDelayMs(policy, 4, 0)).toBeNull()
    expect(retryDelayMs({ ...policy, maxRetries: 0 }, 1, 0)).toBeNull()
  })

  it('are never more than a day apart, jitter aside', () => {
    expect(retryDelayMs({ ...policy, maxRetries: 5000 }, 5000, 0)).toBe(DAY_MS)
  })

  it('never come sooner than the one before', () => {
    const interval = fc.integer({ min: 1, max: DAY_MS })
    fc.assert(
      fc.property(interval, fc.integer({ min: 1, max: 99 }), (intervalMs, tries) => {
        const endless: RetryPolicy = { kind: 'exponential', intervalMs, maxRetries: 100 }
        const [sooner, later] = [
          retryDelayMs(endless, tries, 0),
          retryDelayMs(endless, tries + 1, 0),
        ]
        expect(Number(later)).toBeGreaterThanOrEqual(Number(sooner))
      }),
    )
  })
})

describe('a retry schedule', () => {
  const policy: RetryPolicy = { kind: 'schedule', delaysMs: [5000, 0, 60_000] }

  it('is followed exactly, without jitter, to its end', () => {
    const delays = [1, 2, 3, 4].map((triesMade) => retryDelayMs(policy, triesMade, 0.99))
    expect(delays).toEqual([5000, 0, 60_000, null])
  })
})

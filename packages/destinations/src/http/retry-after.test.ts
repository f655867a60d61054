import * as fc from 'fast-check'
import { retryAfterMs } from './retry-after.ts'

const NOW_MS = Date.parse('2026-11-21T12:00:00Z')
const DAY_MS = 24 * 60 * 60 * 1000

describe('Retry-After', () => {
  it.each([
    ['seconds', '120', 120_000],
    ['seconds with spaces around', ' 7 ', 7000],
    ['no pause', '0', 0],
    ['a date', 'Sat, 21 Nov 2026 12:01:00 GMT', 60_000],
    ['a date of RFC 850', 'Saturday, 21-Nov-26 12:01:00 GMT', 60_000],
    ['a date of asctime', 'Sat Nov 21 12:01:00 2026', 60_000],
    ['a date that has passed', 'Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['more than a day', '86401', DAY_MS],
    ['absurdly many seconds', '9'.repeat(400), DAY_MS],
    ['a date in years', 'Fri, 21 Nov 2036 12:01:00 GMT', DAY_MS],
  ])('understands %s: %s', (_, value, expected) => {
    expect(retryAfterMs(value, NOW_MS)).toBe(expected)
  })

  it.each(['', 'soon', '-5', '1.5', '120s', '0x10', '2026-11-21T12:01:00Z', '21 Nov 2026', 'NaN'])(
    'ignores nonsense: "%s"',
    (value) => {
      expect(retryAfterMs(value, NOW_MS)).toBeNull()
    },
  )

  it('is null or between nothing and a day, whatever comes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.date().map(String), fc.nat().map(String)), (value) => {
        const pauseMs = retryAfterMs(value, NOW_MS) ?? 0
        expect(pauseMs >= 0 && pauseMs <= DAY_MS).toBe(true)
      }),
    )
  })
})

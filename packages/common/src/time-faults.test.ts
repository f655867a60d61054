import { timeFaults } from './time-faults.ts'

describe('the faults of a time', () => {
  it.each(['1970-01-01T00:00:00Z', '2026-12-31T23:59:60Z', '9999-12-31T23:59:59.999Z', undefined])(
    'are none for %s',
    (time) => {
      expect(timeFaults('time', time)).toEqual([])
    },
  )

  it.each(['soon', '2026-02-30T12:00:00Z', '2026-11-21T12:00:00'])(
    'are that %s is no time',
    (time) => {
      expect(timeFaults('time', time)).toEqual(['time must be a time of RFC 3339'])
    },
  )

  it.each(['1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'])(
    'are that %s is in a year that answers do not tell',
    (time) => {
      expect(timeFaults('time', time)).toEqual(['time must be in the years 1970 to 9999'])
    },
  )
})

import * as fc from 'fast-check'
import { attemptIdOf, attemptUidOf, newDestinationId, newEventId, newUid } from './ids.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('a uid', () => {
  it('is a UUIDv7 that carries its time', () => {
    const uid = newUid(0x0123_4567_89ab)
    expect(uid).toMatch(UUID_V7)
    expect(uid.slice(0, 13)).toBe('01234567-89ab')
  })

  it('is one for the time of any clock, also one that counts fractions of a millisecond', () => {
    const anyTime = fc.double({ min: 0, max: 2 ** 48 - 1, noNaN: true })
    fc.assert(
      fc.property(anyTime, (nowMs) => {
        expect(newUid(nowMs)).toMatch(UUID_V7)
      }),
    )
  })

  it('sorts after those of an earlier millisecond, as text', () => {
    const time = fc.nat({ max: 2 ** 31 - 2 })
    fc.assert(
      fc.property(time, fc.integer({ min: 1, max: 2 ** 31 }), (nowMs, laterMs) => {
        expect(newUid(nowMs) < newUid(nowMs + laterMs)).toBe(true)
      }),
    )
  })

  it('is never made twice', () => {
    const uids = Array.from({ length: 1000 }, () => newUid(1))
    expect(new Set(uids).size).toBe(1000)
  })
})

describe('public ids', () => {
  it('name what they are of', () => {
    expect(newEventId()).toMatch(/^evt_[0-9a-f]{32}$/)
    expect(newDestinationId()).toMatch(/^des_[0-9a-f]{32}$/)
  })

  it('of attempts lead back to the uid', () => {
    fc.assert(
      fc.property(fc.uuid(), (uid) => {
        expect(attemptUidOf(attemptIdOf(uid))).toBe(uid)
      }),
    )
  })

  it.each([
    '',
    'att_',
    'att_0123456789abcdef0123456789abcde',
    'att_0123456789abcdef0123456789abcdef0',
    'att_0123456789ABCDEF0123456789ABCDEF',
    'evt_0123456789abcdef0123456789abcdef',
    ' att_0123456789abcdef0123456789abcdef',
    'att_0123456789abcdef0123456789abcdef\n',
  ])('that are none of an attempt lead nowhere: %j', (id) => {
    expect(attemptUidOf(id)).toBeNull()
  })
})

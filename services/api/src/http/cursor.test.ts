import { decodeCursor, encodeCursor } from './cursor.ts'

const PLACE = {
  time: '2026-11-21T12:00:00.000Z',
  uid: '019aa5c0-0000-7000-8000-000000000001',
  inclusive: false,
}

describe('a cursor', () => {
  it.each([true, false])('comes back as it was, inclusive: %s', (inclusive) => {
    const place = { ...PLACE, inclusive }
    expect(decodeCursor('tenants desc', encodeCursor('tenants desc', place))).toEqual(place)
  })

  it('is refused by another list', () => {
    expect(decodeCursor('events desc', encodeCursor('tenants desc', PLACE))).toBeNull()
  })

  it.each([
    ['no base64', '%%%'],
    ['no JSON', Buffer.from('hello').toString('base64url')],
    ['another version', forged([2, 'tenants desc', PLACE.time, PLACE.uid, 0])],
    ['a month that is none', forged([1, 'tenants desc', '2026-13-01T00:00:00.000Z', PLACE.uid, 0])],
    ['a day that is none', forged([1, 'tenants desc', '2026-02-31T00:00:00.000Z', PLACE.uid, 0])],
    ['a time that is none', forged([1, 'tenants desc', "' or true", PLACE.uid, 0])],
    ['a uid that is none', forged([1, 'tenants desc', PLACE.time, 'x', 0])],
    ['fields of other types', forged([1, 'tenants desc', PLACE.time, PLACE.uid, 5])],
  ])('is refused when it holds %s', (_, text) => {
    expect(decodeCursor('tenants desc', text)).toBeNull()
  })
})

function forged(fields: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

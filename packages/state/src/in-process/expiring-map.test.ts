import { ExpiringMap } from './expiring-map.ts'

describe('ExpiringMap', () => {
  it('keeps an entry until its end', () => {
    const map = new ExpiringMap<string>()
    map.set('key', 'value', 10, 0)
    expect(map.get('key', 9)).toBe('value')
    expect(map.get('key', 10)).toBeUndefined()
  })

  it('lets the latest value and its end count', () => {
    const map = new ExpiringMap<string>()
    map.set('key', 'old', 100, 0)
    map.set('key', 'new', 10, 0)
    expect(map.get('key', 5)).toBe('new')
    expect(map.get('key', 50)).toBeUndefined()
  })

  it('sweeps out what has ended and keeps the rest', () => {
    const map = new ExpiringMap<number>()
    for (let index = 0; index < 5000; index++) {
      const endsAtMs = index % 100 === 0 ? 1_000_000 : index + 1
      map.set(String(index), index, endsAtMs, index)
    }
    expect(map.size).toBeLessThan(2000)
    expect(map.get('0', 5000)).toBe(0)
    expect(map.get('4900', 5000)).toBe(4900)
  })
})

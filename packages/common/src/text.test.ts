import * as fc from 'fast-check'
import { cleanText } from './text.ts'

describe('cleaned text', () => {
  it('has the replacement character where Postgres would refuse a character', () => {
    expect(cleanText('a\0b\ud800c')).toBe('a\ufffdb\ufffdc')
  })

  it('is the same text when there is nothing to clean, emoji included', () => {
    expect(cleanText('déjà vu 😀\n')).toBe('déjà vu 😀\n')
  })

  it('has no U+0000 and no lone surrogate, whatever came in', () => {
    const units = fc.array(fc.oneof(fc.nat({ max: 0xffff }), fc.constantFrom(0, 0xd800, 0xdc00)))
    fc.assert(
      fc.property(units, (codes) => {
        const text = String.fromCharCode(...codes)
        const clean = cleanText(text)
        expect(clean.isWellFormed()).toBe(true)
        expect(clean).not.toContain('\0')
        expect(clean).toHaveLength(text.length)
        expect(cleanText(clean)).toBe(clean)
      }),
    )
  })
})

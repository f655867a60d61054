import * as fc from 'fast-check'
import { headerText } from './header-text.ts'

describe('header text', () => {
  it('leaves visible ASCII and spaces as they are', () => {
    expect(headerText('a b;c="%41"')).toBe('a b;c="%41"')
  })

  it('percent-encodes everything else as UTF-8', () => {
    expect(headerText('naïve 😀\r\nx: y')).toBe('na%C3%AFve %F0%9F%98%80%0D%0Ax: y')
  })

  it('never ends a line and can be read back, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const withoutPercent = text.replaceAll('%', '')
        const value = headerText(withoutPercent)
        expect(value).toMatch(/^[\x20-\x7e]*$/)
        expect(decodeURIComponent(value)).toBe(withoutPercent.toWellFormed())
      }),
    )
  })

  it('takes lone surrogates', () => {
    expect(headerText('\ud800')).toBe('%EF%BF%BD')
  })
})

import { parseUrl } from './parse-url.ts'

describe('parsing a URL', () => {
  it('finds the same in the ten thousandth as in the first', () => {
    const hosts = Array.from({ length: 10_000 }, () => parseUrl('http://bücher.example/')?.host)

    expect(new Set(hosts)).toEqual(new Set(['xn--bcher-kva.example']))
  })

  it.each(['', 'x', 'http://', 'http://a b', 'http://[::1'])('finds none in "%s"', (text) => {
    expect(parseUrl(text)).toBeNull()
  })
})

import * as fc from 'fast-check'
import { prettyJson } from './pretty-json.ts'

describe('pretty JSON', () => {
  it('puts every member on a line of its own and leaves the values as they were sent', () => {
    const text = String.raw`{"n":12345678901234567890,"f":1.10,"u":"\u00e9,{","e":{},"l":[1,[]]}`
    expect(prettyJson(text)).toBe(
      [
        '{',
        '  "n": 12345678901234567890,',
        '  "f": 1.10,',
        String.raw`  "u": "\u00e9,{",`,
        '  "e": {},',
        '  "l": [',
        '    1,',
        '    []',
        '  ]',
        '}',
      ].join('\n'),
    )
  })

  it('looks like what JSON.stringify writes, whatever the value', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text)
        expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
      }),
    )
  })

  it('leaves a text alone that is no JSON', () => {
    expect(prettyJson('{"a":1,}')).toBe('{"a":1,}')
  })
})

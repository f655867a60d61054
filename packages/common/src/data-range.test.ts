import * as fc from 'fast-check'
import { findMembers } from './data-range.ts'

function dataIn(text: string): string | null {
  const body = Buffer.from(text)
  const { data } = findMembers(body)
  return data === null ? null : body.toString('utf8', data.start, data.end)
}

function duplicatesIn(text: string): readonly string[] {
  return findMembers(Buffer.from(text)).duplicates
}

describe('the range of data', () => {
  it.each([
    ['numbers as written', '{"n":12345678901234567890,"f":1.10}'],
    ['escapes as written', String.raw`{"u":"\u00e9é","s":"a\/b"}`],
    ['brackets and quotes in strings', String.raw`{"s":"}]\"{[\\","t":{}}`],
    ['a key named data further down', '{"data":{"data":1}}'],
  ])('keeps %s', (_what, data) => {
    expect(dataIn(`{"metadata":{"data":"no"},"data":${data},"id":"x"}`)).toBe(data)
    expect(dataIn(`{"data":${data}}`)).toBe(data)
  })

  it('leaves the whitespace around the value out and that within it in', () => {
    expect(dataIn(' {\n "data" \t:\r\n { "a" : 1 }\n , "id": "x" } ')).toBe('{ "a" : 1 }')
  })

  it('is that of the key as it reads after unescaping', () => {
    expect(dataIn(String.raw`{"d\u0061ta":{"a":1}}`)).toBe('{"a":1}')
  })

  it('is that of the last of several, as JSON.parse takes it', () => {
    expect(dataIn('{"data":1,"data":2}')).toBe('2')
  })

  it.each(['"text, with } and \\""', 'null', 'true', '-1.5e+7', '[1,[2,{"a":"]"}]]', '{}'])(
    'also finds a value that is no object: %s',
    (value) => {
      expect(dataIn(`{"data":${value},"id":"x"}`)).toBe(value)
      expect(dataIn(`{"id":"x","data": ${value} }`)).toBe(value)
    },
  )

  it.each(['{}', '{"id":"data"}', '{"metadata":{"data":1}}', '{"Data":1}'])(
    'is null without a top-level data: %s',
    (text) => {
      expect(dataIn(text)).toBeNull()
    },
  )

  it.each([
    'x'.repeat(10_000),
    String.raw`${'x'.repeat(100)}\"${'y'.repeat(100)}\\`,
    String.raw`\"`.repeat(5_000),
    '\\\\'.repeat(5_000),
  ])('holds for long strings, whatever is escaped in them', (text) => {
    expect(dataIn(`{"data":{"s":"${text}"},"id":"x"}`)).toBe(`{"s":"${text}"}`)
  })
})

describe('duplicate keys', () => {
  it('are named once each, in the order of their first repetition', () => {
    expect(duplicatesIn('{"a":1,"b":2,"b":3,"a":4,"a":5,"c":6}')).toEqual(['b', 'a'])
  })

  it('compare after unescaping', () => {
    expect(duplicatesIn(String.raw`{"data":1,"d\u0061ta":2,"é":3,"\u00e9":4}`)).toEqual([
      'data',
      'é',
    ])
  })

  it('count at the top level only', () => {
    expect(duplicatesIn('{"a":{"b":1,"b":2},"b":[{"a":1,"a":2}]}')).toEqual([])
  })
})

describe('a body that is not JSON', () => {
  it.each([
    '',
    'x',
    '{',
    '{"',
    '{"data',
    '{"data":',
    '{"data":"x',
    '{"data":{"a":"',
    '{"data":[[',
    '"',
  ])('is scanned to its end without harm: %j', (text) => {
    expect(() => findMembers(Buffer.from(text))).not.toThrow()
  })

  it('may hold a key that cannot be unescaped', () => {
    expect(() => findMembers(Buffer.from(String.raw`{"\x":1}`))).toThrow(SyntaxError)
  })
})

describe('any JSON object in any spelling', () => {
  const key = fc.oneof(fc.constantFrom('data', 'id', 'é', '"', '\\', '__proto__'), fc.string())
  const members = fc.array(fc.tuple(key, fc.jsonValue({ stringUnit: 'grapheme' })))
  const choices = fc.array(fc.nat({ max: 99 }), { minLength: 20, maxLength: 200 })

  it('has the range of what JSON.parse finds, and the keys that it drops', () => {
    fc.assert(
      fc.property(members, choices, (list, spelling) => {
        const text = spell(list, chooser(spelling))
        const parsed: unknown = JSON.parse(text)
        const found = dataIn(text)
        const keys = list.map(([name]) => name)
        const repeated = keys.filter((name, i) => keys.indexOf(name) < i)
        expect(found === null ? undefined : JSON.stringify(JSON.parse(found))).toBe(
          JSON.stringify(Object.getOwnPropertyDescriptor(parsed, 'data')?.value),
        )
        expect(duplicatesIn(text)).toEqual([...new Set(repeated)])
        expect(found?.trim()).toBe(found ?? undefined)
      }),
    )
  })
})

type Choose = (count: number) => number

function chooser(choices: readonly number[]): Choose {
  let at = 0
  return (count) => (choices[at++ % choices.length] ?? 0) % count
}

/** The object with these members, with whitespace and escapes wherever `choose` wants them. */
function spell(members: readonly (readonly [string, unknown])[], choose: Choose): string {
  const inner = members.map(
    ([name, value]) =>
      `${gap(choose)}${spellString(name, choose)}${gap(choose)}:${gap(choose)}${spellValue(value, choose)}${gap(choose)}`,
  )
  return `${gap(choose)}{${inner.join(',')}}${gap(choose)}`
}

function spellValue(value: unknown, choose: Choose): string {
  if (typeof value === 'string') return spellString(value, choose)
  if (Array.isArray(value)) {
    return `[${value.map((item) => gap(choose) + spellValue(item, choose) + gap(choose)).join(',')}]`
  }
  if (typeof value === 'object' && value !== null) return spell(Object.entries(value), choose)
  return JSON.stringify(value)
}

function spellString(text: string, choose: Choose): string {
  const units = Array.from(text, (char) =>
    choose(4) === 0 ? unicodeEscapes(char) : JSON.stringify(char).slice(1, -1),
  )
  return `"${units.join('')}"`
}

function unicodeEscapes(char: string): string {
  return char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}

function gap(choose: Choose): string {
  return ['', '', '', ' ', '\n', '\t\r ', '    '][choose(7)] ?? ''
}

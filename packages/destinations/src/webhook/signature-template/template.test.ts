import * as fc from 'fast-check'
import { compileContentTemplate, compileHeaderTemplate } from './compile.ts'
import { TemplateError } from './template-error.ts'

const SIGNATURES = ['aA1', 'bB2']
const MESSAGE = {
  eventId: 'evt_1',
  topic: 'User.Created',
  timeMs: 1_700_000_000_120,
  timestamp: '1700000000',
  body: Buffer.from('{"a":1}'),
  nowMs: 0,
}

function content(template: string): string {
  return compileContentTemplate(template)
    .map((part) => (part === 'body' ? MESSAGE.body.toString() : part(MESSAGE, [])))
    .join('')
}

function header(template: string): string {
  return compileHeaderTemplate(template)(MESSAGE, SIGNATURES)
}

function fault(compile: () => unknown): string {
  try {
    compile()
    return ''
  } catch (error) {
    if (error instanceof TemplateError) return error.message
    throw error
  }
}

/** What Go's text/template makes of the same, given the same data. */
const CONTENTS: readonly (readonly [string, string])[] = [
  ['', ''],
  ['plain }} text', 'plain }} text'],
  ['{ {{.EventID}} }', '{ evt_1 }'],
  ['{{.Timestamp.Unix}}.{{.Body}}', '1700000000.{"a":1}'],
  ['{{ .Body }}{{.Body}}', '{"a":1}{"a":1}'],
  ['{{\t.EventID\n}}', 'evt_1'],
  ['{{(.Timestamp).UnixMilli}}', '1700000000120'],
  ['{{.Topic | lower}} {{upper .Topic}}', 'user.created USER.CREATED'],
  ['{{lower .Topic | upper | lower}}', 'user.created'],
  ['{{upper (lower "aB")}}{{"aB"|upper}}', 'ABAB'],
  ['{{((((.EventID))))}}', 'evt_1'],
  // White space and comments.
  ['a {{- .EventID -}} \r\n\t b', 'aevt_1b'],
  ['a {{-\n.EventID\n-}} b', 'aevt_1b'],
  ['a {{ .EventID }} b', 'a evt_1 b'],
  ['a{{/* {{.Nope}} */}} b', 'a b'],
  ['a {{- /* gone */ -}} b', 'ab'],
  ['{{"a"}}  {{- "b" -}}  {{"c"}}', 'abc'],
  // Strings.
  [String.raw`{{"\a\b\f\n\r\t\v\\\""}}`, '\x07\b\f\n\r\t\v\\"'],
  [String.raw`{{"\x41\101\u00e9\U0001F600"}}`, 'AAé😀'],
  [String.raw`{{"\xc3\xa9"}}`, 'é'],
  ['{{"}}"}}{{`a"\\n}}`}}', '}}a"\\n}}'],
  ['{{`a\r\nb`}}', 'a\nb'],
  ['{{""}}', ''],
  ['{{"é😀"}}é😀', 'é😀é😀'],
  // Times: Go's RFC3339, RFC3339Nano, and their kin.
  ['{{.Timestamp.Format "2006-01-02T15:04:05Z07:00"}}', '2023-11-14T22:13:20Z'],
  ['{{.Timestamp.Format "2006-01-02T15:04:05.999999999Z07:00"}}', '2023-11-14T22:13:20.12Z'],
  ['{{.Timestamp.Format "2006-01-02T15:04:05.000Z07:00"}}', '2023-11-14T22:13:20.120Z'],
  ['{{.Timestamp.Format "2006-01-02T15:04:05.000000Z"}}', '2023-11-14T22:13:20.120000Z'],
  ['{{.Timestamp.Format `2006-01-02T15:04:05.0-07:00`}}', '2023-11-14T22:13:20.1+00:00'],
  ['{{"2006-01-02T15:04:05Z07:00" | .Timestamp.Format}}', '2023-11-14T22:13:20Z'],
  ['{{.Timestamp.Format ("2006-01-02T15:04:05Z07:00") | lower}}', '2023-11-14t22:13:20z'],
]

describe('template of the content', () => {
  it.each(CONTENTS)('%j makes %j', (template, made) => {
    expect(content(template)).toBe(made)
  })

  it('keeps the body apart from text, so that its bytes go through untouched', () => {
    const parts = compileContentTemplate('v0:{{.Timestamp.Unix}}:{{.Body}}!')

    expect(parts.map((part) => (part === 'body' ? part : part(MESSAGE, [])))).toEqual([
      'v0:1700000000:',
      'body',
      '!',
    ])
  })

  it('leaves zeros of a fraction out where the layout has nines', () => {
    const [part] = compileContentTemplate(
      '{{.Timestamp.Format "2006-01-02T15:04:05.999999999Z07:00"}}',
    )
    const whole = { ...MESSAGE, timeMs: 1_700_000_000_000 }

    expect(typeof part === 'function' ? part(whole, []) : part).toBe('2023-11-14T22:13:20Z')
  })
})

describe('template of the header', () => {
  it.each([
    ['t={{.Timestamp.Unix}},v0={{.Signatures | join ","}}', 't=1700000000,v0=aA1,bB2'],
    ['sha256={{.Signatures | join ""}}', 'sha256=aA1bB2'],
    ['{{join ", " .Signatures}}', 'aA1, bB2'],
    ['{{.Signatures | join (lower "-X-")}}', 'aA1-x-bB2'],
    ['{{.Signatures | join "," | upper}}', 'AA1,BB2'],
    ['{{(join "," .Signatures) | lower}} {{.EventID}} {{.Topic}}', 'aa1,bb2 evt_1 User.Created'],
  ])('%j makes %j', (template, made) => {
    expect(header(template)).toBe(made)
  })
})

const FIELDS = 'only .EventID, .Topic, .Timestamp, .Body'
const BAD_CONTENTS: readonly (readonly [string, number, number, string])[] = [
  ['{{.Nope}}', 1, 3, `there is no field .Nope here, ${FIELDS}`],
  ['{{.Signatures | join ","}}', 1, 3, `there is no field .Signatures here, ${FIELDS}`],
  ['{{.body}}', 1, 3, `there is no field .body here, ${FIELDS}`],
  ['a\né{{ .Nope }}', 2, 5, `there is no field .Nope here, ${FIELDS}`],
  ['{{.Timestamp}}', 1, 1, 'this is .Timestamp, of which only .Unix, .UnixMilli and .Format'],
  ['{{.Timestamp.UnixNano}}', 1, 13, 'there is no .UnixNano of .Timestamp, only .Unix'],
  ['{{.EventID.Foo}}', 1, 11, 'there is no .Foo of a text'],
  ['{{.Timestamp.Unix.Foo}}', 1, 18, 'there is no .Foo of a number'],
  ['{{.Body.Foo}}', 1, 8, 'there is no .Foo of .Body'],
  ['{{.Timestamp .Unix}}', 1, 14, `there is no field .Unix here, ${FIELDS}`],
  ['{{.Timestamp.Unix "x"}}', 1, 13, '.Unix takes no argument'],
  ['{{"x" | .EventID}}', 1, 9, 'this is no function: it takes no argument'],
  ['{{.EventID "x"}}', 1, 3, 'this is no function: it takes no argument'],
  ['{{.Timestamp.Format}}', 1, 13, '.Format takes one layout of RFC 3339'],
  ['{{.Timestamp.Format "RFC3339"}}', 1, 13, '.Format takes one layout of RFC 3339'],
  ['{{.Timestamp.Format "2006-01-02"}}', 1, 13, '.Format takes one layout of RFC 3339'],
  ['{{.Timestamp.Format .Topic}}', 1, 13, '.Format takes one layout of RFC 3339'],
  ['{{.Timestamp.Format "2006-01-02T15:04:05Z" "x"}}', 1, 13, '.Format takes one layout'],
  ['{{.Body | lower}}', 1, 11, 'lower takes one text, in ASCII'],
  ['{{.Timestamp.Unix | upper}}', 1, 21, 'upper takes one text, in ASCII'],
  ['{{"é" | upper}}', 1, 9, 'upper takes one text, in ASCII'],
  ['{{lower}}', 1, 3, 'lower takes one text, in ASCII'],
  ['{{lower "a" "b"}}', 1, 3, 'lower takes one text, in ASCII'],
  ['{{.Topic | join ","}}', 1, 12, 'join takes a text and .Signatures'],
  ['{{printf "%s" .Body}}', 1, 3, 'there is no function printf, only join, lower and upper'],
  ['{{if .Topic}}x{{end}}', 1, 3, 'there is no function if, only join, lower and upper'],
  ['{{nil}}', 1, 3, 'there is no function nil, only join, lower and upper'],
  ['{{1}}', 1, 3, 'there is no function 1, only join, lower and upper'],
  ['{{.}}', 1, 3, 'unexpected "."'],
  ['{{$.Topic}}', 1, 3, 'unexpected "$"'],
  ["{{'a'}}", 1, 3, 'unexpected "\'"'],
  ['{{-3}}', 1, 3, 'unexpected "-"'],
  ['{{}}', 1, 3, 'a value is missing before }}'],
  ['{{ | lower}}', 1, 4, 'a value is missing before |'],
  ['{{.Topic | }}', 1, 12, 'a value is missing before }}'],
  ['{{()}}', 1, 4, 'a value is missing before )'],
  ['{{(.Topic}}', 1, 10, 'a ) is missing'],
  ['{{.Topic)}}', 1, 9, 'there is no ( to this )'],
  ['{{lower"a"}}', 1, 8, 'a space is missing'],
  ['{{lower (.Topic).Body}}', 1, 17, 'there is no .Body of a text'],
  ['{{.Topic', 1, 9, 'the action has no end: }} is missing'],
  ['{{.Topic}', 1, 9, 'unexpected "}"'],
  ['{{"a}}', 1, 3, 'the string has no end'],
  ['{{"a\n"}}', 1, 3, 'the string has no end'],
  ['{{`a}}', 1, 3, 'the string has no end'],
  [String.raw`{{"\q"}}`, 1, 3, 'this is no string of Go'],
  [String.raw`{{"\'"}}`, 1, 3, 'this is no string of Go'],
  [String.raw`{{"\xff"}}`, 1, 3, 'this is no string of Go'],
  [String.raw`{{"\400"}}`, 1, 3, 'this is no string of Go'],
  [String.raw`{{"\ud800"}}`, 1, 3, 'this is no string of Go'],
  [String.raw`{{"\U00110000"}}`, 1, 3, 'this is no string of Go'],
  ['{{/* a', 1, 3, 'the comment has no end'],
  ['{{/* a */ .Topic}}', 1, 10, 'a comment must end right before }}'],
  [`{{${'('.repeat(17)}.Topic${')'.repeat(17)}}}`, 1, 19, 'parentheses are nested too deep'],
]

describe('template that cannot be', () => {
  it.each(BAD_CONTENTS)('%j fails at line %i, column %i', (template, line, column, why) => {
    expect(fault(() => compileContentTemplate(template))).toContain(
      `at line ${line}, column ${column}: ${why}`,
    )
  })

  it.each([
    [
      '{{.Body}}',
      'column 3: there is no field .Body here, only .EventID, .Topic, .Timestamp, .Sig',
    ],
    ['{{.Signatures}}', 'column 1: this is .Signatures, which only join makes a text of'],
    ['{{.Signatures | upper}}', 'column 17: upper takes one text'],
    ['{{.Signatures | join}}', 'column 17: join takes a text and .Signatures'],
    ['{{.Signatures | join "," ","}}', 'column 17: join takes a text and .Signatures'],
    ['{{join .Signatures ","}}', 'column 3: join takes a text and .Signatures'],
    ['{{.EventID}}', 'column 1: it does not write .Signatures'],
    ['', 'column 1: it does not write .Signatures'],
  ])('as a header %j fails with %s', (template, why) => {
    expect(fault(() => compileHeaderTemplate(template))).toContain(why)
  })

  it.each([
    'é{{.Signatures | join ","}}',
    'a\n{{.Signatures | join ","}}',
    'a\t{{.Signatures | join ","}}',
    String.raw`{{.Signatures | join "\r\nx-forged: "}}`,
    String.raw`{{.Signatures | join ","}}{{"\x00"}}`,
    '{{.Signatures | join `\n`}}',
  ])('as a header %j has text that no header may have', (template) => {
    expect(fault(() => compileHeaderTemplate(template))).toContain(
      'a header takes only visible ASCII characters and spaces',
    )
  })

  it('fails with a place in it, never with another error', () => {
    const pieces = fc.constantFrom(
      ...'{{ }} {{- -}} {{/* */}} .Body .Topic .Timestamp .Unix .Format .Signatures | ( ) " ` \\ \\x é 😀 - join lower'.split(
        ' ',
      ),
      ' ',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), fc.string(), (parts, other) => {
        for (const template of [parts.join(''), `{{${parts.join(' ')}}}`, other]) {
          const message = fault(() => compileContentTemplate(template))
          expect(message).toMatch(/^(?:at line \d+, column \d+: [^\n]+)?$/)
        }
      }),
    )
  })

  it('as a header never makes what ends its line, whatever else it makes', () => {
    const text = fc.string({ unit: 'binary', maxLength: 10 })
    fc.assert(
      fc.property(text, text, text, (before, separator, after) => {
        const template = `${before}{{.Signatures | join ${JSON.stringify(separator)}}}${after}`
        let made = ''
        fault(() => {
          made = header(template)
        })
        expect(made).toMatch(/^[\x20-\x7e]*$/)
      }),
    )
  })
})

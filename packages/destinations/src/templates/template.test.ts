import * as fc from 'fast-check'
import { compileTemplate, TemplateError, templateFaults, type TemplateInput } from './template.ts'

const ROOTS = { data: null, metadata: null, time: ['year', 'month'] }

const INPUT = {
  data: { id: 'a1', n: 7, ok: true, items: [{ sku: 'x' }], nothing: null, quote: '"' },
  metadata: { 'event-id': 'evt_1', region: 'EU' },
  time: { year: '2026', month: '11' },
}

function render(text: string): string | null {
  return compileTemplate(text, ROOTS).render(INPUT)
}

function paths(count: number): string {
  return `join('', [${Array.from({ length: count }, () => 'data').join()}])`
}

/** What a template makes, also when that is an error. */
function madeOf(template: string, input: TemplateInput): string | TemplateError | null {
  try {
    return compileTemplate(template, ROOTS).render(input)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
}

const PIECES = [
  ' ',
  ...'data metadata time join to_string not_null 0 é @ $ * ? . [ ] ( ) { } : , || | & -'.split(' '),
  `'`,
  '`',
  '"',
  '\\',
]

describe('template', () => {
  it.each<[string, string | null]>([
    ['data.id', 'a1'],
    ['metadata."event-id"', 'evt_1'],
    ['data.items[0].sku', 'x'],
    ['data.items[-1].sku', 'x'],
    ["'raw'", 'raw'],
    ['`"json"`', 'json'],
    ['data.n', '7'],
    ['data.ok', 'true'],
    ['data.missing', null],
    ['data.nothing', null],
    ["data.missing || 'none'", 'none'],
    ['not_null(data.missing, data.id)', 'a1'],
    ["join('/', [time.year, time.month, lower(metadata.region)])", '2026/11/eu'],
    ["join('', ['n-', to_string(data.n), '.json'])", 'n-7.json'],
    ['to_string(data.items)', '[{"sku":"x"}]'],
    ["upper(join('-', [data.id, (data.missing || 'x')]))", 'A1-X'],
  ])('%s makes %j', (text, made) => {
    expect(render(text)).toBe(made)
  })

  it.each([
    ['', 'is not a JMESPath expression'],
    ['data.', 'is not a JMESPath expression'],
    ['data[', 'is not a JMESPath expression'],
    ["join('/', [data.id]", 'is not a JMESPath expression'],
    ['dat.id', 'refers to dat: there is only data, metadata and time'],
    ['constructor', 'refers to constructor: there is only data, metadata and time'],
    ['data.constructor', 'refers to constructor, which every object has'],
    ['metadata.items[0].__proto__', 'refers to __proto__, which every object has'],
    ['time.century', 'refers to time.century: there is only year and month'],
    ['@', 'uses a current: a template has only'],
    ['data.items[*].sku', 'uses more than names and indexes in a path'],
    ['data.items[]', 'uses a projection: a template has only'],
    ['data.items[?ok].sku', 'uses a filter projection: a template has only'],
    ['[data.id] | [0]', 'uses a pipe: a template has only'],
    ['[data.id]', 'uses a multi select list: a template has only'],
    ['data.[id]', 'uses more than names and indexes in a path'],
    ['$.data.id', 'uses more than names and indexes in a path'],
    ['let $x = data.id in $x', 'uses a let expression: a template has only'],
    ['`[1]`', 'uses a list, object or null: a template has only'],
    ['sort(data.items)', 'uses sort(): a template has only'],
    ["pad_left(data.id, `1000000`, 'x')", 'uses pad_left(): a template has only'],
    ["join('/', data.items)", "must use join as join('…', […])"],
    ["join(data.id, ['a', 'b'])", "must use join as join('…', […])"],
    ['to_string([data.id])', 'must give to_string one path'],
    ['to_string(to_string(data.id))', 'must give to_string one path'],
    ['lower(data.id, data.id)', 'must give lower one argument'],
    ['not_null()', 'must give not_null something'],
  ])('may not be %s', (text, fault) => {
    expect(templateFaults('config.key_template', text, ROOTS)).toEqual([
      expect.stringContaining(`config.key_template ${fault}`),
    ])
  })

  it('is bounded in its length and its paths', () => {
    expect(templateFaults('config.x', paths(16), ROOTS)).toEqual([])
    expect(templateFaults('config.x', paths(17), ROOTS)).toEqual([
      'config.x must have at most 16 paths',
    ])
    expect(templateFaults('config.x', `'${'x'.repeat(1023)}'`, ROOTS)).toEqual([
      'config.x must be at most 1024 characters long',
    ])
  })

  it('fails on an event of which it makes no text', () => {
    expect(() => render('data.items')).toThrow(TemplateError)
    expect(() => render("join('/', [data.items])")).toThrow(TemplateError)
    expect(() => render("join('/', [data.missing])")).toThrow('fails on this event')
  })

  it('has no faults when there is none', () => {
    expect(templateFaults('config.key_template', undefined, ROOTS)).toEqual([])
  })

  it('is refused with a fault, never with another error', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }),
        fc.string(),
        (pieces, other) => {
          for (const text of [pieces.join(''), other]) {
            expect(templateFaults('config.x', text, ROOTS).length).toBeLessThanOrEqual(1)
          }
        },
      ),
    )
  })

  it('makes nothing longer than the parts that it names', () => {
    const leaf = fc.constantFrom('data', 'data.a', 'metadata', "'x'")
    const { text } = fc.letrec<{ text: string }>((tie) => ({
      text: fc.oneof(
        { maxDepth: 5 },
        leaf,
        leaf.map((path) => `to_string(${path})`),
        fc
          .array(tie('text'), { minLength: 1, maxLength: 4 })
          .map((all) => `join('', [${all.join()}])`),
        fc.tuple(tie('text'), tie('text')).map(([a, b]) => `(${a} || ${b})`),
        tie('text').map((inner) => `upper(${inner})`),
      ),
    }))
    const big = { data: { a: '"'.repeat(10_000) }, metadata: {}, time: {} }
    fc.assert(
      fc.property(text, (template) => {
        fc.pre(templateFaults('config.x', template, ROOTS).length === 0)
        const made = madeOf(template, big)
        const length = typeof made === 'string' ? made.length : 0

        expect(length).toBeLessThan(16 * 2 * 10_100)
      }),
    )
  })
})

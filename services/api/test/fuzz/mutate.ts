import * as fc from 'fast-check'

/** JSON text that stands in a value as it is, because no value would become it. */
class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What is done to one place of a value. */
export type Mutation =
  | { readonly kind: 'replace'; readonly at: number; readonly value: unknown }
  | { readonly kind: 'remove'; readonly at: number }
  | { readonly kind: 'add'; readonly at: number; readonly name: string; readonly value: unknown }

const nested = (open: string, close: string, levels: number): RawJson =>
  new RawJson(`${open.repeat(levels)}1${close.repeat(levels)}`)

/** What services have stumbled over. */
const NASTY: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  '',
  ' ',
  'x'.repeat(5000),
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u202e\ufeff',
  '💥'.repeat(100),
  '../../etc/passwd',
  "'; drop table events; --",
  '${7*7}',
  '2026-02-30T00:00:00Z',
  '2016-12-31T23:59:60Z',
  '2026-11-21 12:00:00+0000',
  '9999-12-31T23:59:59-23:59',
  '0000-01-01T00:00:00Z',
  'http://[::ffff:127.0.0.1]:65536/',
  'http://127.0.0.1:9/hook',
  [],
  {},
  [[]],
  [null],
  new RawJson('1e400'),
  new RawJson('-1E+9999'),
  new RawJson('1e-9999'),
  new RawJson('12345678901234567890'),
  new RawJson('0.1000000000000000055511151231257827'),
  new RawJson('-0'),
  new RawJson('{"__proto__":{"polluted":true}}'),
  new RawJson('{"constructor":{"prototype":{"polluted":true}}}'),
  new RawJson('{"a":1,"a":2}'),
  new RawJson('"\\ud800"'),
  new RawJson('"\\u0000"'),
  nested('[', ']', 20),
  nested('{"$not":', '}', 20),
  nested('[', ']', 50_000),
  nested('{"data":', '}', 50_000),
]

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'type',
  'updated_at',
  'data',
  'id',
  'a\u0000',
  '',
]

/** A mutation that may hit anything. */
export function mutations(): fc.Arbitrary<Mutation> {
  const at = fc.nat(200)
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...NASTY) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  )
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('replace' as const), at, value }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), at }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('add' as const),
        at,
        name: fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 5 })),
        value,
      }),
    },
  )
}

/** The value after a mutation of the `at`-th of its places, counted around. */
export function mutate(value: unknown, mutation: Mutation): unknown {
  const places = count(value)
  let left = mutation.at % places
  const walk = (current: unknown): unknown => {
    if (left === 0) {
      left = -1
      return changed(current, mutation)
    }
    if (left > 0) left -= 1
    if (Array.isArray(current)) return current.map((each) => (left < 0 ? each : walk(each)))
    if (!isMap(current)) return current
    return Object.fromEntries(
      Object.entries(current).flatMap(([name, each]) => {
        const after = left < 0 ? each : walk(each)
        return after === REMOVED ? [] : [[name, after]]
      }),
    )
  }
  const after = walk(value)
  return after === REMOVED ? null : after
}

const REMOVED = Symbol('removed')

function changed(current: unknown, mutation: Mutation): unknown {
  switch (mutation.kind) {
    case 'replace':
      return mutation.value
    case 'remove':
      return REMOVED
    case 'add':
      if (!isMap(current)) return mutation.value
      return Object.fromEntries([...Object.entries(current), [mutation.name, mutation.value]])
  }
}

function count(value: unknown): number {
  const parts = Array.isArray(value) ? value : isMap(value) ? Object.values(value) : []
  return parts.reduce((sum: number, each) => sum + count(each), 1)
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null
  return isObject && !Array.isArray(value) && !(value instanceof RawJson)
}

/** JSON text of a value in which raw JSON may stand. */
export function textOf(value: unknown): string {
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) {
    return `[${value.map((each) => (each === REMOVED ? 'null' : textOf(each))).join(',')}]`
  }
  if (!isMap(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}:${textOf(each)}`,
  )
  return `{${members.join(',')}}`
}

import * as fc from 'fast-check'
import { compileFilter, type FilterEvent, validateFilter } from './filter.ts'

function matches(filter: Record<string, unknown>, event: Partial<FilterEvent>): boolean {
  expect(validateFilter(filter)).toEqual([])
  return compileFilter(filter)({
    id: 'evt_1',
    topic: 'order.paid',
    time: '2026-03-01T12:00:00.000Z',
    metadata: { source: 'api' },
    data: {},
    ...event,
  })
}

/** Whether `condition` on the key `x` of data accepts this value. */
function accepts(condition: unknown, value: unknown): boolean {
  return matches({ data: { x: condition } }, { data: { x: value } })
}

/** Whether `condition` on the key `x` of data accepts an event that has no such key. */
function acceptsMissing(condition: unknown): boolean {
  return matches({ data: { x: condition } }, { data: { other: 1 } })
}

describe('a filter', () => {
  it('sees id, topic, time, metadata and data', () => {
    expect(
      matches(
        {
          id: 'evt_1',
          topic: { $startsWith: 'order.' },
          time: { $gte: '2026-01-01T00:00:00Z', $lt: '2026-04-01T00:00:00Z' },
          metadata: { source: 'api' },
          data: { status: 'paid' },
        },
        { data: { status: 'paid' } },
      ),
    ).toBe(true)
  })

  it('that is empty matches every event', () => {
    expect(matches({}, {})).toBe(true)
  })

  it('applies all of its fields', () => {
    expect(matches({ topic: 'order.paid', data: { a: 1 } }, { data: { a: 2 } })).toBe(false)
  })
})

describe('a part of a stored filter that is not understood', () => {
  it.each([{ data: { x: { $new: 1 } } }, { data: { x: { $gt: {} } } }, { $gt: 1 }, { other: 1 }])(
    'matches nothing: %j',
    (filter) => {
      const event = { id: 'e', topic: 't', time: '', metadata: {}, data: { x: 1 } }
      expect(compileFilter(filter)(event)).toBe(false)
    },
  )
})

describe('a primitive', () => {
  it.each(['paid', 5, true, null, ''])('%j matches itself', (value) => {
    expect(accepts(value, value)).toBe(true)
  })

  it.each([
    [5, '5'],
    ['5', 5],
    [0, false],
    [null, 0],
    ['', null],
    ['paid', 'Paid'],
  ])('%j does not match %j', (condition, value) => {
    expect(accepts(condition, value)).toBe(false)
  })

  it('matches an array that contains it', () => {
    expect(accepts('urgent', ['urgent', 'support'])).toBe(true)
    expect(accepts('urgent', ['support'])).toBe(false)
  })

  it('compares numbers by their value, however they were written', () => {
    const data: unknown = JSON.parse('{"x":1.10}')
    expect(matches({ data: { x: 1.1 } }, { data })).toBe(true)
  })
})

describe('an array', () => {
  it('lists elements that must all be contained, in any order', () => {
    expect(accepts(['a', 'b'], ['b', 'c', 'a'])).toBe(true)
    expect(accepts(['a', 'b'], ['a', 'c'])).toBe(false)
  })

  it('may list conditions', () => {
    expect(accepts([{ id: 1 }, { id: { $gt: 5 } }], [{ id: 9 }, { id: 1 }])).toBe(true)
    expect(accepts([{ id: 1 }, { id: { $gt: 5 } }], [{ id: 1 }])).toBe(false)
  })

  it('does not match what is no array', () => {
    expect(accepts(['a'], 'a')).toBe(false)
  })
})

describe('a nested object', () => {
  it('recurses', () => {
    expect(accepts({ customer: { tier: 'gold' } }, { customer: { tier: 'gold', age: 9 } })).toBe(
      true,
    )
    expect(accepts({ customer: { tier: 'gold' } }, { customer: 'gold' })).toBe(false)
  })

  it('matches an array when one element has all of it', () => {
    expect(accepts({ id: 1, ok: true }, [{ id: 2 }, { id: 1, ok: true }])).toBe(true)
    expect(accepts({ id: 1, ok: true }, [{ id: 2, ok: true }, { id: 1 }])).toBe(false)
    expect(accepts({ id: 1 }, [])).toBe(false)
  })

  it('sees own members only', () => {
    expect(accepts({ constructor: { $exist: true } }, {})).toBe(false)
    expect(accepts({ toString: { name: 'toString' } }, {})).toBe(false)
    expect(accepts({ length: 2 }, ['a', 'b'])).toBe(false)
    expect(accepts({ length: 1 }, 'a')).toBe(false)
  })

  it('sees a member named __proto__ as any other', () => {
    const filter = JSON.parse('{"data":{"__proto__":{"a":1}}}') as Record<string, unknown>
    expect(matches(filter, { data: JSON.parse('{"__proto__":{"a":1}}') })).toBe(true)
    expect(matches(filter, { data: JSON.parse('{"a":1}') })).toBe(false)
  })

  it('applies its operators and its plain keys together', () => {
    const condition = { $exist: true, $neq: 'x', a: 1 }
    expect(accepts(condition, { a: 1 })).toBe(true)
    expect(accepts(condition, { a: 2 })).toBe(false)
    expect(accepts({ ...condition, $not: { b: 2 } }, { a: 1, b: 2 })).toBe(false)
  })
})

describe('what stands for anything', () => {
  it.each([{}, []])('%j matches whatever is present', (condition) => {
    expect([null, 0, '', [], {}, 'x'].every((value) => accepts(condition, value))).toBe(true)
    expect(acceptsMissing(condition)).toBe(false)
  })

  it('null is null only', () => {
    expect(accepts(null, null)).toBe(true)
    expect([0, '', false, {}, []].some((value) => accepts(null, value))).toBe(false)
    expect(acceptsMissing(null)).toBe(false)
  })
})

describe('a missing key', () => {
  it.each([
    { $exist: false },
    { $neq: 'a' },
    { $nin: ['a'] },
    { $not: 'a' },
    { $not: { $exist: true } },
    { deeper: { $exist: false } },
  ])('matches %j', (condition) => {
    expect(acceptsMissing(condition)).toBe(true)
  })

  it.each([
    'a',
    ['a'],
    { $exist: true },
    { $eq: null },
    { $in: [null, 'a'] },
    { $gt: 0 },
    { $lt: 'z' },
    { $startsWith: '' },
    { $not: { $neq: 'a' } },
    { deeper: 'a' },
  ])('does not match %j', (condition) => {
    expect(acceptsMissing(condition)).toBe(false)
  })
})

describe('operators', () => {
  it.each([
    [{ $eq: 5 }, 5, '5'],
    [{ $eq: { a: [1, { b: null }] } }, { a: [1, { b: null }] }, { a: [1, { b: 0 }] }],
    [{ $eq: { a: 1, b: 2 } }, { b: 2, a: 1 }, { a: 1, b: 2, c: 3 }],
    [{ $eq: { a: 1, b: 2 } }, { b: 2, a: 1 }, { a: 1, c: 2 }],
    [{ $eq: [1, 2] }, [1, 2], [2, 1]],
    [{ $eq: [1, 2] }, [1, 2], [1, 2, 3]],
    [{ $eq: { a: 1 } }, { a: 1 }, null],
    [{ $eq: null }, null, 0],
    [{ $neq: 5 }, '5', 5],
    [{ $gt: 5 }, 6, 5],
    [{ $gte: 5 }, 5, 4],
    [{ $lt: 5 }, 4, 5],
    [{ $lte: 5 }, 5, 6],
    [{ $gt: 5 }, 6, '6'],
    [{ $lt: '5' }, '10', 1],
    [{ $lt: '\uff5a' }, '\u{1f600}', '\uff9f'], // By code unit: by code point the second is greater.
    [{ $in: ['a', 2, { b: 1 }] }, { b: 1 }, 'b'],
    [{ $in: 'needle' }, 'a needle here', 'hay'],
    [{ $in: '5' }, '456', 456],
    [{ $nin: ['a', 2] }, 'b', 2],
    [{ $nin: 'needle' }, 'hay', 'a needle here'],
    [{ $startsWith: 'ab' }, 'abc', 'cab'],
    [{ $startsWith: '1' }, '12', 12],
    [{ $endsWith: '@x.test' }, 'me@x.test', 'me@y.test'],
    [{ $exist: true }, null, undefined],
    [{ $or: [1, { $gt: 5 }] }, 9, 2],
    [{ $and: [{ $gt: 1 }, { $lt: 5 }] }, 3, 5],
    [{ $not: 'paid' }, 'due', 'paid'],
    [{ $not: { $in: ['a', 'b'] } }, 'c', 'a'],
    [{ $not: { $not: { $gt: 1 } } }, 2, 1],
  ])('%j: %j yes, %j no', (condition, yes, no) => {
    expect(accepts(condition, yes)).toBe(true)
    expect(accepts(condition, no)).toBe(false)
  })

  it('compare hold on an array if one element satisfies them', () => {
    expect(accepts({ $gt: 5 }, [1, 9])).toBe(true)
    expect(accepts({ $gt: 5 }, [1, 2])).toBe(false)
    expect(accepts({ $eq: 'a' }, ['a', 'b'])).toBe(true)
    expect(accepts({ $in: ['a'] }, ['a', 'b'])).toBe(true)
    expect(accepts({ $endsWith: '.de' }, ['x.fr', 'x.de'])).toBe(true)
    expect(accepts({ $exist: false }, [])).toBe(false)
  })

  it('$neq and $nin deny on an array what $eq and $in assert', () => {
    expect(accepts({ $neq: 'a' }, ['a', 'b'])).toBe(false)
    expect(accepts({ $neq: 'a' }, ['b', 'c'])).toBe(true)
    expect(accepts({ $nin: ['a'] }, ['a', 'b'])).toBe(false)
  })

  it('join whole filters as well as conditions', () => {
    const filter = {
      $or: [{ topic: 'order.paid' }, { data: { vip: true } }],
      $not: { metadata: { source: 'test' } },
    }
    expect(matches(filter, {})).toBe(true)
    expect(matches(filter, { topic: 'x', data: { vip: true } })).toBe(true)
    expect(matches(filter, { topic: 'x' })).toBe(false)
    expect(matches(filter, { metadata: { source: 'test' } })).toBe(false)
  })
})

describe('validation', () => {
  it.each([null, undefined, [], 'x', 5])('refuses what is no object: %j', (filter) => {
    expect(validateFilter(filter)).toEqual(['filter must be an object'])
  })

  it.each([
    [{ status: 'paid' }, 'filter.status is not one of id, topic, time, metadata, data'],
    [{ $gt: 5 }, 'filter.$gt must stand under a field of the event'],
    [{ $foo: 5 }, 'filter.$foo is not an operator'],
    [{ data: { x: { $foo: 5 } } }, 'filter.data.x.$foo is not an operator'],
    [{ data: { x: { $gt: true } } }, 'filter.data.x.$gt must be a number or a string'],
    [{ data: { x: { $lte: null } } }, 'filter.data.x.$lte must be a number or a string'],
    [{ data: { x: { $startsWith: 5 } } }, 'filter.data.x.$startsWith must be a string'],
    [{ data: { x: { $endsWith: ['a'] } } }, 'filter.data.x.$endsWith must be a string'],
    [{ data: { x: { $in: 5 } } }, 'filter.data.x.$in must be an array or a string'],
    [{ data: { x: { $nin: {} } } }, 'filter.data.x.$nin must be an array or a string'],
    [{ data: { x: { $exist: 'yes' } } }, 'filter.data.x.$exist must be true or false'],
    [{ $or: [] }, 'filter.$or must be an array that is not empty'],
    [{ $and: { data: 1 } }, 'filter.$and must be an array that is not empty'],
    [{ $or: [{}, 'x'] }, 'filter.$or[1] must be an object'],
    [{ $not: 'x' }, 'filter.$not must be an object'],
    [
      { $or: [{ $not: { data: { 'a.b': [{ $gt: {} }] } } }] },
      'filter.$or[0].$not.data["a.b"][0].$gt must be a number or a string',
    ],
  ])('refuses %j', (filter, problem) => {
    expect(validateFilter(filter)).toEqual([problem])
  })

  it('names all faults at once', () => {
    expect(validateFilter({ x: 1, data: { a: { $gt: [] }, b: { $b: 1 } } })).toEqual([
      'filter.x is not one of id, topic, time, metadata, data',
      'filter.data.a.$gt must be a number or a string',
      'filter.data.b.$b is not an operator',
    ])
  })

  it('takes 16 levels, and no 17th', () => {
    const levels = (count: number): unknown => (count === 0 ? 1 : { x: levels(count - 1) })
    expect(validateFilter({ data: levels(15) })).toEqual([])
    expect(validateFilter({ data: levels(16) })).toEqual(['filter must have at most 16 levels'])
    expect(
      validateFilter({ data: { $eq: JSON.parse('['.repeat(9e4) + ']'.repeat(9e4)) } }),
    ).toEqual(['filter must have at most 16 levels'])
  })

  it('takes 16 KiB of UTF-8, and no byte more', () => {
    const id = `€${'x'.repeat(16 * 1024 - '{"id":"€"}'.length - 2)}`
    expect(validateFilter({ id })).toEqual([])
    expect(validateFilter({ id: `${id}x` })).toEqual(['filter must have at most 16384 bytes'])
  })
})

describe('any filter and any event', () => {
  const primitive = fc.oneof(
    fc.constantFrom('a', 'b', 'ab', '', 0, 1, 2, true, null),
    fc.jsonValue(),
  )
  const key = fc.constantFrom('a', 'b', '__proto__', 'length', 'constructor')
  const { condition } = fc.letrec<{ condition: unknown; operators: object; members: object }>(
    (tie) => ({
      condition: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom<unknown>('a', 'b', 'ab', '', 0, 1, 2, true, null),
        tie('operators'),
        tie('members'),
        fc.array(tie('condition'), { maxLength: 2 }),
      ),
      operators: fc.record(
        {
          $eq: primitive,
          $neq: primitive,
          $gt: fc.constantFrom(0, 1, 'a'),
          $gte: fc.constantFrom(0, 1, 'a'),
          $lt: fc.constantFrom(1, 2, 'b'),
          $lte: fc.constantFrom(1, 2, 'b'),
          $in: fc.oneof(fc.array(primitive, { maxLength: 3 }), fc.constantFrom('a', 'b')),
          $nin: fc.oneof(fc.array(primitive, { maxLength: 3 }), fc.constantFrom('a', 'b')),
          $startsWith: fc.constantFrom('a', ''),
          $endsWith: fc.constantFrom('b', ''),
          $exist: fc.boolean(),
          $or: fc.array(tie('condition'), { minLength: 1, maxLength: 2 }),
          $and: fc.array(tie('condition'), { minLength: 1, maxLength: 2 }),
          $not: tie('condition'),
        },
        { requiredKeys: [] },
      ),
      members: fc.dictionary(key, tie('condition'), { maxKeys: 3 }),
    }),
  )
  const value = fc.oneof(
    primitive,
    fc.array(primitive, { maxLength: 3 }),
    fc.dictionary(key, fc.oneof(primitive, fc.array(primitive, { maxLength: 2 }))),
  )
  const filter = fc.record({ data: condition }).filter((f) => validateFilter(f).length === 0)
  const event = value.map((data) => ({ id: 'e', topic: 't', time: '', metadata: {}, data }))

  it('$not is the complement', () => {
    fc.assert(
      fc.property(filter, event, (f, e) => {
        const expected = !compileFilter(f)(e)
        expect(compileFilter({ $not: f })(e)).toBe(expected)
        expect(compileFilter({ data: { $not: f.data } })(e)).toBe(expected)
      }),
    )
  })

  it('$or and $and are those of logic, of conditions and of filters', () => {
    fc.assert(
      fc.property(filter, filter, event, (f, g, e) => {
        const [a, b] = [compileFilter(f)(e), compileFilter(g)(e)]
        expect(compileFilter({ $or: [f, g] })(e)).toBe(a || b)
        expect(compileFilter({ $and: [f, g] })(e)).toBe(a && b)
        expect(compileFilter({ data: { $or: [f.data, g.data] } })(e)).toBe(a || b)
        expect(compileFilter({ data: { $and: [f.data, g.data] } })(e)).toBe(a && b)
      }),
    )
  })

  it('$neq and $nin are the complements of $eq and $in', () => {
    fc.assert(
      fc.property(primitive, fc.array(primitive), event, (p, list, e) => {
        const matchesData = (data: unknown): boolean => compileFilter({ data })(e)
        expect(matchesData({ $neq: p })).toBe(!matchesData({ $eq: p }))
        expect(matchesData({ $nin: list })).toBe(!matchesData({ $in: list }))
      }),
    )
  })

  it('never throws, whatever was accepted and whatever was published', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), filter, event, (anything, f, e) => {
        expect(() => validateFilter(anything)).not.toThrow()
        expect(compileFilter(f)({ ...e, data: anything })).toEqual(expect.any(Boolean))
      }),
    )
  })

  it('does not throw on data nested deeper than a stack', () => {
    const data: unknown = JSON.parse(`${'{"a":['.repeat(60_000)}1${']}'.repeat(60_000)}`)
    fc.assert(
      fc.property(filter, (f) => {
        expect(() =>
          compileFilter(f)({ id: '', topic: '', time: '', metadata: {}, data }),
        ).not.toThrow()
      }),
    )
  })
})

import * as fc from 'fast-check'
import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import { Pool } from 'pg'
import { packBytes, plainArray, textArray } from '../src/arrays.ts'

/** Text that Postgres can hold, and much of what needs its quotes. */
function text(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\u0000', '')),
    fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '}', ' ', '\n', '\t', "'", 'é', '🦄') }),
    fc.constantFrom('', 'NULL', 'null', '{}', '""', '\\"', ' '),
  )
}

describe('array literals', () => {
  let database: TestDatabase
  let pool: Pool

  beforeAll(async () => {
    database = await createTestDatabase({ isMigrated: false })
    pool = new Pool({ connectionString: database.url, max: 1 })
  })

  afterAll(async () => {
    await pool.end()
    await database[Symbol.asyncDispose]()
  })

  it('bring any text to Postgres as it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text()), { maxLength: 20 }), async (values) => {
        const { rows } = await pool.query<{ values: unknown }>('select $1::text[] as values', [
          textArray(values),
        ])
        expect(rows[0]?.values).toEqual(values)
      }),
    )
  })

  it('bring numbers and booleans to Postgres as they are', async () => {
    const numbers = fc.array(fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })))
    await fc.assert(
      fc.asyncProperty(numbers, fc.array(fc.option(fc.boolean())), async (doubles, booleans) => {
        const { rows } = await pool.query<{ doubles: number[]; booleans: boolean[] }>(
          'select $1::float8[] as doubles, $2::boolean[] as booleans',
          [plainArray(doubles), plainArray(booleans)],
        )
        // -0 is written as 0.
        expect(rows).toEqual([
          { doubles: doubles.map((each) => (each === 0 ? 0 : each)), booleans },
        ])
      }),
      { numRuns: 50 },
    )
  })

  it('bring many byte strings in one parameter', async () => {
    const bytes = fc.uint8Array({ maxLength: 50 }).map((each) => Buffer.from(each))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(bytes), { maxLength: 20 }), async (values) => {
        const packed = packBytes(values)
        const { rows } = await pool.query<{ bytes: Buffer | null }>(
          `select substring($1::bytea from start for length) as bytes
           from unnest($2::int[], $3::int[]) with ordinality as p (start, length, i) order by i`,
          [packed.bytes, packed.starts, packed.lengths],
        )
        expect(rows.map((row) => row.bytes)).toEqual(values)
      }),
      { numRuns: 50 },
    )
  })
})

import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import { Pool } from 'pg'
import { checkSchema, migrate, SchemaMismatchError } from '../src/index.ts'
import { migrations, SCHEMA_VERSION } from '../src/migrations/index.ts'

describe('migrating', () => {
  let database: TestDatabase
  let pool: Pool

  beforeEach(async () => {
    database = await createTestDatabase({ isMigrated: false })
    pool = new Pool({ connectionString: database.url })
  })

  afterEach(async () => {
    await pool.end()
    await database[Symbol.asyncDispose]()
  })

  const setVersion = async (version: number, servesFrom: number): Promise<void> => {
    await pool.query('update schema_version set version = $1, serves_from = $2', [
      version,
      servesFrom,
    ])
  }

  it('brings an empty database up to date, and finds nothing to do the second time', async () => {
    expect(await migrate(pool)).toEqual(Object.keys(migrations))
    await expect(checkSchema(pool)).resolves.toBeUndefined()
    expect(await migrate(pool)).toEqual([])
  })

  it('is done once when several processes start at once', async () => {
    const pools = Array.from({ length: 4 }, () => new Pool({ connectionString: database.url }))
    const done = await Promise.all(pools.map((each) => migrate(each)))
    await Promise.all(pools.map((each) => each.end()))
    expect(done.flat()).toEqual(Object.keys(migrations))
    await checkSchema(pool)
    const { rows } = await pool.query<{ days: number }>(
      `select count(*)::int as days from pg_inherits where inhparent = 'deliveries'::regclass`,
    )
    expect(rows).toEqual([{ days: 8 }])
  })

  it('refuses an empty database, with the command to run', async () => {
    await expect(checkSchema(pool)).rejects.toThrow(SchemaMismatchError)
    await expect(checkSchema(pool)).rejects.toThrow(
      `the database schema is at version 0, this code needs ${SCHEMA_VERSION}: run \`npm run migrate\``,
    )
  })

  it('refuses a schema that is behind, with the command to run', async () => {
    await migrate(pool)
    await setVersion(SCHEMA_VERSION - 1, 1)
    await expect(checkSchema(pool)).rejects.toThrow(/run `npm run migrate`$/)
  })

  it('refuses a schema that no longer serves this code', async () => {
    await migrate(pool)
    await setVersion(SCHEMA_VERSION + 1, SCHEMA_VERSION + 1)
    await expect(checkSchema(pool)).rejects.toThrow(SchemaMismatchError)
    await expect(checkSchema(pool)).rejects.toThrow(/no longer serves this code .* newer release$/)
  })

  it('lives with a newer schema that still serves this code', async () => {
    await migrate(pool)
    await setVersion(SCHEMA_VERSION + 3, SCHEMA_VERSION)
    await expect(checkSchema(pool)).resolves.toBeUndefined()
  })

  it('never takes a database back from newer code', async () => {
    await migrate(pool)
    await setVersion(SCHEMA_VERSION + 1, 1)
    await expect(migrate(pool)).rejects.toThrow(SchemaMismatchError)
    const { rows } = await pool.query('select version from schema_version')
    expect(rows).toEqual([{ version: SCHEMA_VERSION + 1 }])
  })
})

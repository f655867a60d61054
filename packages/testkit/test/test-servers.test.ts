import { Client } from 'pg'
import { createTestDatabase, testRedis, testVhost } from '../src/index.ts'

async function tables(url: string): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::int as n from pg_tables where schemaname = 'public'`,
    )
    return rows[0]?.n ?? 0
  } finally {
    await client.end()
  }
}

describe('createTestDatabase', () => {
  it('gives every caller a database with the schema, and drops it with its connections', async () => {
    const one = await createTestDatabase()
    await using other = await createTestDatabase()
    const left = new Client({ connectionString: one.url })
    left.on('error', () => {})
    await left.connect()

    expect(one.url).not.toBe(other.url)
    expect(await tables(one.url)).toBeGreaterThan(0)
    await one[Symbol.asyncDispose]()
    await expect(tables(one.url)).rejects.toThrow('does not exist')
    await left.end().catch(() => {})
  })

  it('leaves the database empty when asked', async () => {
    await using database = await createTestDatabase({ isMigrated: false })

    expect(await tables(database.url)).toBe(0)
  })
})

describe('testVhost', () => {
  it('never hands out a vhost twice at the same time', async () => {
    await using one = await testVhost()
    await using other = await testVhost()

    expect(one.url).not.toBe(other.url)
  })
})

describe('testRedis', () => {
  it('hands out another prefix every time', () => {
    expect(testRedis().keyPrefix).not.toBe(testRedis().keyPrefix)
  })
})

import { randomUUID } from 'node:crypto'
import { Client, Pool } from 'pg'
import { migrate } from '@postrider/store'
import { testServerUrl } from './test-urls.ts'

export interface TestDatabase extends AsyncDisposable {
  readonly url: string
}

export interface TestDatabaseOptions {
  /** False leaves it empty, for tests of the migrations themselves. Default true. */
  readonly isMigrated?: boolean
  /** The server. Default: POSTGRES_URL. */
  readonly serverUrl?: string
}

/**
 * A database of its own for one test file, with today's schema. Dropped when disposed, together with
 * whatever connections are still open to it.
 */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { isMigrated = true, serverUrl = testServerUrl('POSTGRES_URL') } = options
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const database = {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      await onServer(serverUrl, `drop database if exists ${name} with (force)`)
    },
  }
  if (!isMigrated) return database
  const pool = new Pool({ connectionString: database.url, max: 1 })
  try {
    await migrate(pool)
    return database
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  } finally {
    await pool.end()
  }
}

async function onServer(connectionString: string, sql: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

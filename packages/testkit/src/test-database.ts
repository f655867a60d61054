import { randomUUID } from 'node:crypto'
import { Client, Pool } from 'pg'
import { migrate } from '@postrider/store'
import { testServerUrl } from './test-urls.ts'
import { waitFor } from './wait-for.ts'

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
  if (isMigrated) await makeTemplate(serverUrl)
  await onServer(serverUrl, async (client) => {
    await client.query(`create database ${name}${isMigrated ? ` template ${TEMPLATE}` : ''}`)
  })
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const database = {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      await onServer(serverUrl, async (client) => {
        // Whoever stays connected is thrown out; those who are just leaving are waited for, since a
        // client that is thrown out while it leaves reports an error to nobody.
        await untilUnused(client, name).catch(() => undefined)
        await client.query(`drop database if exists ${name} with (force)`)
      })
    },
  }
  if (!isMigrated) return database
  try {
    // The template may have been made by older code, or yesterday.
    await migrateAt(database.url)
    return database
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

/** Copied for every test database: a copy takes a tenth of the time that the migrations take. */
const TEMPLATE = 'testkit_template'
const TEMPLATE_LOCK = 7_700_000_000_099

/** Makes the template on this server unless it is there; of all workers one does. */
async function makeTemplate(serverUrl: string): Promise<void> {
  await onServer(serverUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [
      TEMPLATE,
    ])
    if (rowCount === 1) return
    // Made aside and renamed: one that was left half made is never copied.
    const unfinished = `${TEMPLATE}_unfinished`
    await client.query(`drop database if exists ${unfinished} with (force)`)
    await client.query(`create database ${unfinished}`)
    const url = new URL(serverUrl)
    url.pathname = `/${unfinished}`
    await migrateAt(url.href)
    await untilUnused(client, unfinished)
    await client.query(`alter database ${unfinished} rename to ${TEMPLATE}`)
  })
}

/** A pool has ended when its connections are told to; Postgres sees them go a moment later. */
async function untilUnused(client: Client, name: string): Promise<void> {
  await waitFor(
    async () => {
      const { rowCount } = await client.query('select from pg_stat_activity where datname = $1', [
        name,
      ])
      return rowCount === 0
    },
    { what: `the last connection to ${name} to close`, deadlineMs: 2000 },
  )
}

async function migrateAt(connectionString: string): Promise<void> {
  const pool = new Pool({ connectionString, max: 1 })
  // A connection that is on its way out when its database is dropped says so here.
  pool.on('error', () => undefined)
  try {
    await migrate(pool)
  } finally {
    await pool.end()
  }
}

async function onServer(
  connectionString: string,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

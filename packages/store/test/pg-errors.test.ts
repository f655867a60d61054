import {
  createTestDatabase,
  freePort,
  silentLog,
  startFaultProxy,
  type TestDatabase,
} from '@postrider/testkit'
import { Client, Pool } from 'pg'
import { isPostgresAway, isUniqueViolation, openStore, reactionTo } from '../src/index.ts'

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    return error
  }
  throw new Error('it was to fail')
}

describe('failures of Postgres', () => {
  let database: TestDatabase
  let pool: Pool

  beforeAll(async () => {
    database = await createTestDatabase({ isMigrated: false })
    pool = new Pool({ connectionString: database.url })
    await pool.query('create table things (id int primary key, name text)')
    await pool.query(`insert into things values (1, 'one'), (2, 'two')`)
  })

  afterAll(async () => {
    await pool.end()
    await database[Symbol.asyncDispose]()
  })

  describe('that say that it is away', () => {
    it.each([
      ['nothing listens', (port: number) => `postgres://127.0.0.1:${port}/x`],
      [
        'nothing listens on any address of the name',
        (port: number) => `postgres://localhost:${port}/x`,
      ],
    ])('%s', async (_, url) => {
      const client = new Client({ connectionString: url(await freePort()) })
      const error = await failureOf(() => client.connect())
      expect(reactionTo(error)).toBe('away')
      expect(isPostgresAway(error)).toBe(true)
    })

    it('the session was ended by an administrator', async () => {
      const client = new Client({ connectionString: database.url })
      client.on('error', () => undefined)
      await client.connect()
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      const error = failureOf(() => client.query('select pg_sleep(30)'))
      await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
      expect(reactionTo(await error)).toBe('away')
      // Whoever asks next on the same connection hears it from the driver.
      expect(reactionTo(await failureOf(() => client.query('select 1')))).toBe('away')
    })

    it.each([['reset'], ['end']] as const)('the connection was cut by %s', async (how) => {
      const { hostname, port } = new URL(database.url)
      const proxy = await startFaultProxy({ host: hostname, port: Number(port) })
      const client = new Client({ host: hostname, port: proxy.port, ...credentials() })
      client.on('error', () => undefined)
      await client.connect()
      proxy.stall('down', true)
      const error = failureOf(() => client.query('select 1'))
      proxy.cutAll(how)
      expect(reactionTo(await error)).toBe('away')
      await proxy.stop()
    })

    it('no answer comes in time', async () => {
      const { hostname, port } = new URL(database.url)
      const proxy = await startFaultProxy({ host: hostname, port: Number(port) })
      const slow = new Pool({
        host: hostname,
        port: proxy.port,
        ...credentials(),
        query_timeout: 100,
        connectionTimeoutMillis: 100,
      })
      slow.on('error', () => undefined)
      await slow.query('select 1')
      proxy.stall('up', true)
      expect(reactionTo(await failureOf(() => slow.query('select 1')))).toBe('away')
      proxy.blackhole(true)
      expect(reactionTo(await failureOf(() => slow.query('select 1')))).toBe('away')
      await proxy.stop()
      await slow.end()
    })

    it.each([
      ['it has too many connections', '53300'],
      ['its disk is full', '53100'],
      ['it is out of memory', '53200'],
      ['it is starting up', '57P03'],
      ['it has become a standby, which only reads', '25006'],
      ['the connection failed', '08006'],
    ])('%s', (_, code) => {
      expect(reactionTo(Object.assign(new Error('as Postgres says it'), { code }))).toBe('away')
    })
  })

  it('are to be tried again at once when a statement ran into its timeout', async () => {
    const store = openStore({
      url: database.url,
      applicationName: 'timeouts',
      encryptionSecrets: ['a secret'],
      log: silentLog,
    })
    const client = await store.pools.query.connect()
    try {
      await client.query('set statement_timeout = 20')
      expect(reactionTo(await failureOf(() => client.query('select pg_sleep(5)')))).toBe('again')
      await client.query('set lock_timeout = 10')
      const holder = await pool.connect()
      await holder.query('begin')
      await holder.query('select from things where id = 1 for update')
      const update = (): Promise<unknown> => client.query('update things set name = $1', ['x'])
      expect(reactionTo(await failureOf(update))).toBe('again')
      await holder.query('rollback')
      holder.release()
    } finally {
      client.release(true)
      await store.close()
    }
  })

  it('are to be tried again at once after a deadlock', async () => {
    const [a, b] = [await pool.connect(), await pool.connect()]
    try {
      for (const each of [a, b]) await each.query('begin')
      await a.query('select from things where id = 1 for update')
      await b.query('select from things where id = 2 for update')
      const met = await Promise.allSettled([
        a.query('select from things where id = 2 for update').finally(() => a.query('rollback')),
        b.query('select from things where id = 1 for update').finally(() => b.query('rollback')),
      ])
      const errors = met.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
      expect(errors.map(reactionTo)).toEqual(['again'])
    } finally {
      a.release()
      b.release()
    }
  })

  it('are refusals when the same work will fail again', async () => {
    const nul = await failureOf(() => pool.query('select $1::text', ['a\u0000b']))
    expect(reactionTo(nul)).toBe('refused')
    expect(reactionTo(await failureOf(() => pool.query('select nonsense')))).toBe('refused')
    expect(reactionTo(new TypeError('a fault in the code'))).toBe('refused')
    expect(reactionTo('a string')).toBe('refused')
    expect(reactionTo(null)).toBe('refused')
  })

  it('name the unique index that refused a row', async () => {
    const error = await failureOf(() => pool.query(`insert into things values (1, 'again')`))
    expect(isUniqueViolation(error)).toBe(true)
    expect(isUniqueViolation(error, 'things_pkey')).toBe(true)
    expect(isUniqueViolation(error, 'another')).toBe(false)
    expect(isUniqueViolation(new Error('something else'))).toBe(false)
  })

  function credentials(): { user: string; password: string; database: string } {
    const { username, password, pathname } = new URL(database.url)
    return {
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: pathname.slice(1),
    }
  }
})

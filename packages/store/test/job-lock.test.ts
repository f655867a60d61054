import type { Log, LogFields } from '@postrider/common'
import {
  createTestDatabase,
  type FaultProxy,
  silentLog,
  startFaultProxy,
  type TestDatabase,
  waitFor,
} from '@postrider/testkit'
import { Client } from 'pg'
import { acquireJobLock, type JobLock } from '../src/index.ts'

/** One who asks for the lock, and what it was told. */
class Asker {
  readonly lines: { message: string; fields: LogFields | undefined }[] = []
  readonly events: string[] = []
  readonly giveUp = new AbortController()
  readonly #url: string
  readonly #name: string

  constructor(url: string, name: string) {
    this.#url = url
    this.#name = name
  }

  async ask(mode: 'exclusive' | 'shared'): Promise<JobLock> {
    const log: Log = {
      ...silentLog,
      warn: (message, fields) => void this.lines.push({ message, fields }),
    }
    return await acquireJobLock(
      {
        url: this.#url,
        mode,
        applicationName: this.#name,
        log,
        onLost: () => void this.events.push('lost'),
        onRegained: () => void this.events.push('regained'),
      },
      this.giveUp.signal,
    )
  }

  async waitForLine(message: string): Promise<LogFields | undefined> {
    const line = await waitFor(() => this.lines.find((each) => each.message === message), {
      what: `“${message}”`,
    })
    return line.fields
  }
}

describe('the job lock', () => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await createTestDatabase({ isMigrated: false })
  })

  afterEach(async () => {
    await database[Symbol.asyncDispose]()
  })

  const asker = (name: string, url = database.url): Asker => new Asker(url, name)

  it('is held by one; a second one waits, says once who has it, and gets it from him', async () => {
    const [first, second] = [asker('the first'), asker('the second')]
    const held = await first.ask('exclusive')
    const waiting = second.ask('exclusive')
    expect(await second.waitForLine('waiting for the job lock')).toEqual({
      heldBy: expect.stringMatching(/^the first \(pid \d+, 127\.0\.0\.1, since \d{4}-.+ [A-Z]+\)$/),
    })
    await held.release()
    const lock = await waiting
    expect(second.lines).toHaveLength(1)
    expect(first.events).toEqual([])
    await lock.release()
  })

  it('is shared by those who ask for that, and kept from who wants it alone', async () => {
    const held = await Promise.all([asker('a').ask('shared'), asker('b').ask('shared')])
    const alone = asker('alone')
    const waiting = alone.ask('exclusive')
    await alone.waitForLine('waiting for the job lock')
    await held[0].release()
    await held[1].release()
    const lock = await waiting

    const sharer = asker('c')
    const shared = sharer.ask('shared')
    expect(await sharer.waitForLine('waiting for the job lock')).toMatchObject({
      heldBy: expect.stringContaining('alone'),
    })
    await lock.release()
    await (await shared).release()
  })

  it('is another one in every database', async () => {
    await using other = await createTestDatabase({ isMigrated: false })
    const held = await asker('here').ask('exclusive')
    const elsewhere = await asker('there', other.url).ask('exclusive')
    expect(elsewhere).toBeDefined()
    await elsewhere.release()
    await held.release()
  })

  it('is given up on with the reason of the signal', async () => {
    const held = await asker('holder').ask('exclusive')
    const second = asker('second')
    const waiting = second.ask('exclusive').catch((error: unknown) => error)
    await second.waitForLine('waiting for the job lock')
    second.giveUp.abort(new Error('asked to stop'))
    expect(await waiting).toMatchObject({ message: 'asked to stop' })
    await held.release()
  })

  it('is taken again when the session that held it is ended', async () => {
    const holder = asker('holder')
    const lock = await holder.ask('exclusive')
    await endSessions(database.url, 'holder')
    await waitFor(() => holder.events.length === 2, { what: 'the lock to be held again' })
    expect(holder.events).toEqual(['lost', 'regained'])
    const second = asker('second')
    const waiting = second.ask('exclusive')
    await second.waitForLine('waiting for the job lock')
    await lock.release()
    await (await waiting).release()
  })

  it('is waited for, too, by one who lost it to another', async () => {
    const [first, second] = [asker('first'), asker('second')]
    const lost = await first.ask('exclusive')
    const waiting = second.ask('exclusive')
    await second.waitForLine('waiting for the job lock')
    // Ends sessions until the one that waits is quicker.
    const won = await waitFor(
      async () => {
        await endSessions(database.url, 'first')
        return await Promise.race([waiting, nothing()])
      },
      { what: 'the second one to have it', deadlineMs: 30_000 },
    )
    await waitFor(() => first.events.at(-1) === 'lost', { what: 'the loss' })
    await won.release()
    await waitFor(() => first.events.at(-1) === 'regained', { what: 'the lock to be back' })
    expect(second.events).toEqual([])
    await lost.release()
  })

  describe('behind a connection that fails', () => {
    let proxy: FaultProxy

    beforeEach(async () => {
      const { hostname, port } = new URL(database.url)
      proxy = await startFaultProxy({ host: hostname, port: Number(port) })
    })

    afterEach(async () => {
      await proxy.stop()
    })

    const through = (): string => {
      const url = new URL(database.url)
      url.port = String(proxy.port)
      return url.href
    }

    it('is asked for until Postgres answers', async () => {
      await proxy.down()
      const holder = asker('holder', through())
      const waiting = holder.ask('exclusive')
      await holder.waitForLine('the job lock cannot be asked for')
      await proxy.up()
      await (await waiting).release()
      expect(holder.events).toEqual([])
    })

    it('is nobody’s when it is released while it is being taken again', async () => {
      const holder = asker('holder', through())
      const lock = await holder.ask('exclusive')
      const before = proxy.accepted
      proxy.cutAll()
      proxy.stall('up', true)
      await waitFor(() => proxy.accepted > before, { what: 'the lock to be asked for again' })
      await lock.release()
      proxy.stall('up', false)
      const next = await asker('next').ask('exclusive')
      expect(holder.events).toEqual(['lost'])
      await next.release()
      await waitFor(() => proxy.open === 0, { what: 'the connection to be closed' })
    })
  })
})

async function nothing(): Promise<null> {
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  return null
}

async function endSessions(url: string, applicationName: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
    [applicationName],
  )
  await client.end()
}

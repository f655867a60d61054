import type { DeliveryDestination } from '@postrider/common'
import { createHold, waitFor } from '@postrider/testkit'
import { webhookDestination } from './factories.ts'
import { ClientPool } from '../src/client-pool.ts'

/** A client that tells its pool's tests of its end. */
interface NamedClient {
  readonly name: string
  close(): Promise<void>
}

function destination(uid: string, version = 1): DeliveryDestination {
  return webhookDestination('https://example.com', { uid, version })
}

describe('client pool', () => {
  let made: string[]
  let closed: string[]
  let pool: ClientPool<NamedClient>

  function open(options: { limit?: number; idleMs?: number } = {}): void {
    made = []
    closed = []
    pool = new ClientPool({
      create({ uid, version }) {
        const name = `${uid}${version}`
        made.push(name)
        return { name, close: async () => void closed.push(name) }
      },
      ...options,
    })
  }

  async function use(uid: string, version = 1): Promise<string> {
    return pool.use(destination(uid, version), async (client) => client.name)
  }

  beforeEach(() => open())
  afterEach(() => pool.stop())

  it('makes one client for each destination', async () => {
    expect(await Promise.all([use('a'), use('a'), use('b')])).toEqual(['a1', 'a1', 'b1'])
    expect(made).toEqual(['a1', 'b1'])
    expect(closed).toEqual([])
  })

  it('replaces a client when the settings have changed, after its sends in flight', async () => {
    const hold = createHold()
    const inFlight = pool.use(destination('a'), async (client) => {
      await hold.released
      return client.name
    })

    expect(await use('a', 2)).toBe('a2')
    expect(closed).toEqual([])
    hold.release()
    expect(await inFlight).toBe('a1')
    expect(closed).toEqual(['a1'])
    expect(pool.size).toBe(1)
  })

  it('lets go of the client that was used longest ago when there are too many', async () => {
    open({ limit: 2 })
    for (const uid of ['a', 'b', 'a', 'c']) await use(uid)

    expect(closed).toEqual(['b1'])
    expect(pool.size).toBe(2)
  })

  it('closes none that is in use, however many there are', async () => {
    open({ limit: 1 })
    await pool.use(destination('a'), async () => {
      await use('b')
      expect(closed).toEqual([])
    })
    await use('c')

    expect(closed.toSorted()).toEqual(['a1', 'b1'])
  })

  it('closes what is idle', async () => {
    open({ idleMs: 20 })
    await use('a')

    await waitFor(() => closed.includes('a1'), { what: 'the idle client to be closed' })
    expect(pool.size).toBe(0)
    expect(await use('a')).toBe('a1')
    expect(made).toEqual(['a1', 'a1'])
  })

  it('closes all when it stops', async () => {
    await use('a')
    await use('b')
    await pool.stop()
    await pool.stop()

    expect(closed).toEqual(['a1', 'b1'])
  })

  it('closes what is still in use when it stops, once', async () => {
    const hold = createHold()
    const inFlight = pool.use(destination('a'), async () => hold.released)
    await pool.stop()
    expect(closed).toEqual(['a1'])

    hold.release()
    await inFlight
    expect(closed).toEqual(['a1'])
  })

  it('keeps a client whose use failed', async () => {
    const failing = pool.use(destination('a'), async () => {
      throw new Error('not this time')
    })

    await expect(failing).rejects.toThrow('not this time')
    expect(await use('a')).toBe('a1')
    expect(made).toEqual(['a1'])
  })
})

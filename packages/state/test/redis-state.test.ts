import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { countTaken, FOR_LONG, limitsOf, placeOf, placesOf } from './places.ts'
import { type PrivateRedis, startPrivateRedis } from './private-redis.ts'
import { RedisStates } from './redis-states.ts'
import { describeSharedState } from './shared-state.suite.ts'
import { waitFor } from './wait-for.ts'

describeSharedState('the state in Redis', async () => {
  const redis = await startPrivateRedis()
  const states = new RedisStates()
  return {
    numRuns: 40,
    open: async (limits, log) => {
      const options = { url: redis.url, keyPrefix: randomUUID(), limits, log }
      const { state } = await states.open(options)
      return state
    },
    pass: async (ms) => {
      // Redis keeps a key through the millisecond at which it ends.
      const end = (await redis.now()) + ms
      await waitFor('the clock of Redis', async () => (await redis.now()) > end)
    },
    stop: async () => {
      await states[Symbol.asyncDispose]()
      await redis[Symbol.asyncDispose]()
    },
  }
})

describe('processes that share a Redis', () => {
  let redis: PrivateRedis
  let states: RedisStates
  beforeAll(async () => {
    redis = await startPrivateRedis()
  })
  beforeEach(async () => {
    states = new RedisStates()
    await redis.client.flushall()
  })
  afterEach(() => states[Symbol.asyncDispose]())
  afterAll(() => redis[Symbol.asyncDispose]())

  it('share the bounds', async () => {
    const limits = limitsOf({ perTenant: 4 })
    const { state: one } = await states.open({ url: redis.url, limits })
    const { state: other } = await states.open({ url: redis.url, limits })
    const places = placesOf(3)
    expect(countTaken(await one.takePlaces(places, FOR_LONG))).toBe(3)
    expect(await other.takePlaces(places, FOR_LONG)).toEqual([false, false, false])
    const more = [placeOf({ destinationUid: 'x' }), placeOf({ destinationUid: 'y' })]
    expect(await other.takePlaces(more, FOR_LONG)).toEqual([true, false])
    await other.releasePlaces(places)
    expect(countTaken(await one.takePlaces(placesOf(4), FOR_LONG))).toBe(3)
  })

  it('share nothing under different prefixes', async () => {
    const limits = limitsOf({ perTenant: 1 })
    const { state: one } = await states.open({ url: redis.url, limits })
    const { state: other } = await states.open({ url: redis.url, limits, keyPrefix: 'other' })
    expect(await one.takePlaces([placeOf()], FOR_LONG)).toEqual([true])
    expect(await other.takePlaces([placeOf()], FOR_LONG)).toEqual([true])
  })

  it('never exceed a bound, however many take at the same time', async () => {
    const limits = limitsOf({ perTenant: 100, totalJobs: 270, totalBytes: 270 * 600 })
    const opened = await Promise.all(
      Array.from({ length: 20 }, () => states.open({ url: redis.url, limits })),
    )
    const asked = ['a', 'b', 'c'].flatMap((tenantUid) => placesOf(150, { tenantUid }))
    const takers = await Promise.all(
      opened.map(async ({ state }, index) => {
        // Each begins elsewhere, and all want the same.
        const places = [...asked.slice(index * 20), ...asked.slice(0, index * 20)]
        const taken: typeof places = []
        for (let from = 0; from < places.length; from += 15) {
          const batch = places.slice(from, from + 15)
          const answers = await state.takePlaces(batch, FOR_LONG)
          taken.push(...batch.filter((_, at) => answers[at]))
        }
        return { state, taken }
      }),
    )
    const held = takers.flatMap(({ taken }) => taken)
    expect(new Set(held).size).toBe(held.length)
    expect(held).toHaveLength(270)
    expect(await contentsOf(redis.client)).toEqual({
      all: 270,
      bytes: 270 * 600,
      tenants: 270,
      destinations: 270,
    })
    await Promise.all(takers.map(({ state, taken }) => state.releasePlaces(taken)))
    expect(await contentsOf(redis.client)).toEqual(EMPTY)
  })

  it('hear each other’s announcements once, and their own once', async () => {
    const opened = await Promise.all([1, 2, 3].map(() => states.open({ url: redis.url })))
    await waitFor('three subscriptions', async () => (await subscribers(redis.client)) === 3)
    const heard: string[] = []
    for (const [index, { state }] of opened.entries()) {
      state.onAnnouncement(({ destinationUid }) => heard.push(`${index} ${destinationUid}`))
    }
    await opened[0]?.state.announce([{ destinationUid: 'a' }, { destinationUid: 'b' }])
    await opened[1]?.state.announce([{ destinationUid: 'last' }])
    await waitFor(
      'the last one everywhere',
      () => heard.filter((line) => line.endsWith('last')).length === 3,
    )
    expect(heard.toSorted()).toEqual([
      '0 a',
      '0 b',
      '0 last',
      '1 a',
      '1 b',
      '1 last',
      '2 a',
      '2 b',
      '2 last',
    ])
  })

  it('pass over announcements that are none', async () => {
    const { state, log } = await states.open({ url: redis.url })
    await waitFor('the subscription', async () => (await subscribers(redis.client)) === 1)
    const heard: string[] = []
    state.onAnnouncement(({ destinationUid }) => heard.push(destinationUid))
    for (const text of ['', '{', '[]', '[1]', '{"a":1}', '["somebody","x"]']) {
      await redis.client.publish(CHANNEL, text)
    }
    await waitFor('the good one', () => heard.length > 0)
    expect(heard).toEqual(['x'])
    expect(log.lines).toEqual(Array.from({ length: 5 }, () => 'warn announcement that is none'))
  })

  it('leave nothing behind in Redis once all leases have ended', async () => {
    const { state } = await states.open({ url: redis.url })
    await state.takePlaces(placesOf(20), { expiresInMs: 20, yieldToBacklog: true })
    await state.markBacklog('tenant', 'fresh', 20)
    await state.narrowDestination('destination', 3, 20)
    expect(await redis.client.dbsize()).toBeGreaterThan(20)
    await waitFor('an empty Redis', async () => (await redis.client.dbsize()) === 0)
  })

  it('keep a set as long as its longest lease', async () => {
    const { state } = await states.open({ url: redis.url, limits: limitsOf({ perTenant: 2 }) })
    const [long, short] = [placeOf({ destinationUid: 'a' }), placeOf({ destinationUid: 'b' })]
    await state.takePlaces([long], FOR_LONG)
    await state.takePlaces([short], { ...FOR_LONG, expiresInMs: 5 })
    const end = (await redis.now()) + 10
    await waitFor('the end of the short one', async () => (await redis.now()) > end)
    expect(countTaken(await state.takePlaces(placesOf(2), FOR_LONG))).toBe(1)
  })

  it('start from zero when Redis is flushed, and count right from there', async () => {
    const limits = limitsOf({ perTenant: 4, totalBytes: 2400 })
    const { state, log } = await states.open({ url: redis.url, limits })
    const lost = placesOf(4)
    await state.takePlaces(lost, FOR_LONG)
    await redis.client.flushall()
    await redis.client.script('FLUSH')
    const places = placesOf(6)
    expect(countTaken(await state.takePlaces(places, FOR_LONG))).toBe(4)
    await state.releasePlaces(lost)
    expect(await contentsOf(redis.client)).toEqual({
      all: 4,
      bytes: 2400,
      tenants: 4,
      destinations: 4,
    })
    await state.releasePlaces(places)
    expect(await contentsOf(redis.client)).toEqual(EMPTY)
    expect(log.lines).toEqual([])
  })

  it.each(['all', 'tenant:fresh:tenant', 'destination:fresh:destination of tenant'])(
    'drive no count below zero when Redis evicts %s alone',
    async (key) => {
      const { state } = await states.open({ url: redis.url })
      const places = [placeOf(), placeOf()]
      await state.takePlaces(places, FOR_LONG)
      await redis.client.del(`{postrider}:${key}`)
      await state.takePlaces([placeOf()], FOR_LONG)
      await state.releasePlaces(places)
      const { bytes } = await contentsOf(redis.client)
      expect(bytes).toBeGreaterThanOrEqual(600)
    },
  )
})

const CHANNEL = '{postrider}:announcements'
const EMPTY = { all: 0, bytes: 0, tenants: 0, destinations: 0 }

/** What the sets of the default prefix hold. */
async function contentsOf(client: Redis): Promise<typeof EMPTY> {
  const sizes = async (pattern: string): Promise<number> => {
    const keys = await client.keys(`{postrider}:${pattern}:*`)
    const counts = await Promise.all(keys.map((key) => client.zcard(key)))
    return counts.reduce((sum, count) => sum + count, 0)
  }
  const sum = await client.zscore('{postrider}:all', '')
  return {
    all: await client.zcount('{postrider}:all', '(0', '+inf'),
    bytes: 0 - Number(sum ?? 0),
    tenants: await sizes('tenant'),
    destinations: await sizes('destination'),
  }
}

async function subscribers(client: Redis): Promise<number> {
  const [, count] = await client.pubsub('NUMSUB', CHANNEL)
  return Number(count)
}

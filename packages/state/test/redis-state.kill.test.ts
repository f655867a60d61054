import { privateRedis, waitFor } from '@postrider/testkit'
import { countTaken, FOR_LONG, limitsOf, placeOf, placesOf } from './places.ts'
import { RedisStates } from './redis-states.ts'
import { NOTHING, RedisView } from './redis-view.ts'

const keyPrefix = 'postrider'

describe('a Redis that is killed', () => {
  it('leaves each process to itself until it is back, and then starts from zero', async () => {
    await using redis = await privateRedis()
    await using states = new RedisStates({ url: redis.url, keyPrefix })
    const limits = limitsOf({ perTenant: 40, totalJobs: 100 })
    const { state: one, log } = await states.open({ limits })
    const { state: other } = await states.open({ limits })
    const places = placesOf(40)
    await one.takePlaces(places, FOR_LONG)

    await redis.kill()
    await waitFor(() => one.isAway && other.isAway, { what: 'the outage' })
    expect(countTaken(await one.takePlaces(placesOf(50), FOR_LONG))).toBe(40)
    expect(countTaken(await other.takePlaces(placesOf(50), FOR_LONG))).toBe(40)
    await one.releasePlaces(places)

    await redis.start()
    await waitFor(() => !one.isAway && !other.isAway, { what: 'Redis' })
    expect(countTaken(await one.takePlaces(placesOf(30), FOR_LONG))).toBe(30)
    expect(countTaken(await other.takePlaces(placesOf(40), FOR_LONG))).toBe(10)
    expect(log.lines.map((line) => line.split(' ')[0])).toEqual(['warn', 'info'])
  })

  it('answers every call of those who take and release while it dies and comes back', async () => {
    await using redis = await privateRedis()
    await using states = new RedisStates({ url: redis.url, keyPrefix })
    using view = new RedisView({ url: redis.url, keyPrefix })
    const { state } = await states.open({ limits: limitsOf({ perTenant: 200 }) })
    let rounds = 0
    const over = new AbortController()
    const users = Array.from({ length: 5 }, async () => {
      while (!over.signal.aborted) {
        const places = placesOf(20)
        const answers = await state.takePlaces(places, FOR_LONG)
        await state.releasePlaces(places.filter((_, index) => answers[index]))
        rounds++
        // Taking alone needs no turn of the loop; without one nothing else would ever happen.
        await new Promise(setImmediate)
      }
    })
    for (let death = 0; death < 3; death++) {
      await redis.kill()
      await waitFor(() => state.isAway, { what: 'the outage' })
      const before = rounds
      await waitFor(() => rounds > before + 10, { what: 'takes by the process alone' })
      await redis.start()
      await waitFor(() => !state.isAway, { what: 'Redis' })
    }
    over.abort()
    await Promise.all(users)
    expect(await state.takePlaces([placeOf()], FOR_LONG)).toEqual([true])
    expect(await view.held()).toBe(1)
  })
})

describe('a Redis that is flushed', () => {
  it('starts from zero, and counts right from there', async () => {
    await using redis = await privateRedis()
    await using states = new RedisStates({ url: redis.url, keyPrefix })
    using view = new RedisView({ url: redis.url, keyPrefix })
    const limits = limitsOf({ perTenant: 4, totalBytes: 2400 })
    const { state, log } = await states.open({ limits })
    const lost = placesOf(4)
    await state.takePlaces(lost, FOR_LONG)

    await view.client.flushall()
    await view.client.script('FLUSH')

    const places = placesOf(6)
    expect(countTaken(await state.takePlaces(places, FOR_LONG))).toBe(4)
    await state.releasePlaces(lost)
    expect(await view.contents()).toEqual({ all: 4, bytes: 2400, tenants: 4, destinations: 4 })
    await state.releasePlaces(places)
    expect(await view.contents()).toEqual(NOTHING)
    expect(log.lines).toEqual([])
  })
})

describe('a Redis that became a replica', () => {
  it('is away as long as it refuses writes, and is not trusted just for answering', async () => {
    await using redis = await privateRedis()
    await using states = new RedisStates({ url: redis.url, keyPrefix })
    using view = new RedisView({ url: redis.url, keyPrefix })
    const { state, log } = await states.open()
    await view.client.replicaof('127.0.0.1', 1)
    expect(await state.takePlaces([placeOf()], FOR_LONG)).toEqual([true])
    expect(state.isAway).toBe(true)
    const dials = await connections(view)
    await waitFor(async () => (await connections(view)) >= dials + 2, { what: 'two more dials' })
    expect(state.isAway).toBe(true)
    expect(log.lines).toHaveLength(1)
    await view.client.replicaof('NO', 'ONE')
    await waitFor(() => !state.isAway, { what: 'Redis' })
    expect(log.lines).toHaveLength(2)
  })
})

/** Connections that the server has accepted since its start. */
async function connections(view: RedisView): Promise<number> {
  const stats = await view.client.info('stats')
  return Number(/total_connections_received:(\d+)/.exec(stats)?.[1])
}

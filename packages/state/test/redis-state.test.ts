import { randomUUID } from 'node:crypto'
import { testRedis, waitFor } from '@postrider/testkit'
import { countTaken, FOR_LONG, limitsOf, placeOf, placesOf } from './places.ts'
import { RedisStates } from './redis-states.ts'
import { NOTHING, RedisView } from './redis-view.ts'
import { describeSharedState } from './shared-state.suite.ts'

describeSharedState('the state in Redis', () => {
  const redis = testRedis()
  const view = new RedisView(redis)
  const states = new RedisStates(redis)
  return Promise.resolve({
    numRuns: 40,
    open: async (limits, log) => {
      const { state } = await states.open({ keyPrefix: `test-${randomUUID()}`, limits, log })
      return state
    },
    pass: async (ms) => {
      const end = (await view.now()) + ms
      // Redis keeps a key through the millisecond at which it ends.
      await waitFor(async () => (await view.now()) > end, { what: 'the clock of Redis' })
    },
    stop: async () => {
      await states[Symbol.asyncDispose]()
      view[Symbol.dispose]()
    },
  })
})

describe('processes that share a Redis', () => {
  let states: RedisStates
  let view: RedisView
  beforeEach(() => {
    const redis = testRedis()
    states = new RedisStates(redis)
    view = new RedisView(redis)
  })
  afterEach(async () => {
    await states[Symbol.asyncDispose]()
    view[Symbol.dispose]()
  })

  it('share the bounds', async () => {
    const limits = limitsOf({ perTenant: 4 })
    const { state: one } = await states.open({ limits })
    const { state: other } = await states.open({ limits })
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
    const { state: one } = await states.open({ limits })
    const { state: other } = await states.open({ limits, keyPrefix: `test-${randomUUID()}` })
    expect(await one.takePlaces([placeOf()], FOR_LONG)).toEqual([true])
    expect(await other.takePlaces([placeOf()], FOR_LONG)).toEqual([true])
  })

  it('never exceed a bound, however many take at the same time', async () => {
    const limits = limitsOf({ perTenant: 100, totalJobs: 270, totalBytes: 270 * 600 })
    const opened = await Promise.all(Array.from({ length: 20 }, () => states.open({ limits })))
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
    expect(held).toHaveLength(270)
    expect(new Set(held).size).toBe(270)
    expect(await view.contents()).toEqual({
      all: 270,
      bytes: 270 * 600,
      tenants: 270,
      destinations: 270,
    })
    await Promise.all(takers.map(({ state, taken }) => state.releasePlaces(taken)))
    expect(await view.contents()).toEqual(NOTHING)
  })

  it('hear each other’s announcements once, and their own once', async () => {
    const opened = await Promise.all([1, 2, 3].map(() => states.open()))
    await waitFor(async () => (await view.subscribers()) === 3, { what: 'three subscriptions' })
    const heard = opened.map(({ state }) => {
      const uids: string[] = []
      state.onAnnouncement(({ destinationUid }) => uids.push(destinationUid))
      return uids
    })
    await opened[0]?.state.announce([{ destinationUid: 'a' }, { destinationUid: 'b' }])
    await opened[1]?.state.announce([{ destinationUid: 'c' }])
    await waitFor(() => heard.every((uids) => uids.length >= 3), { what: 'all of them' })
    // Once more through the same channel, so that a second copy of the first would have come before it.
    await opened[2]?.state.announce([{ destinationUid: 'last' }])
    await waitFor(() => heard.every((uids) => uids.includes('last')), { what: 'the last one' })
    expect(heard.map((uids) => uids.toSorted().join(' '))).toEqual(Array(3).fill('a b c last'))
  })

  it('pass over announcements that are none', async () => {
    const { state, log } = await states.open()
    await waitFor(async () => (await view.subscribers()) === 1, { what: 'the subscription' })
    const heard: string[] = []
    state.onAnnouncement(({ destinationUid }) => heard.push(destinationUid))
    for (const text of ['', '{', '[]', '[1]', '{"a":1}', '["somebody","x"]']) {
      await view.client.publish(view.channel, text)
    }
    await waitFor(() => heard.length > 0, { what: 'the good one' })
    expect(heard).toEqual(['x'])
    expect(log.lines).toEqual(Array(5).fill('warn announcement that is none'))
  })

  it('leave nothing behind in Redis once all leases have ended', async () => {
    const { state } = await states.open()
    await state.takePlaces(placesOf(20), { expiresInMs: 400, yieldToBacklog: true })
    await state.markBacklog('tenant', 'fresh', 400)
    await state.narrowDestination('destination', 3, 400)
    expect(await view.keys()).not.toEqual([])
    await waitFor(async () => (await view.keys()).length === 0, { what: 'the end of all keys' })
  })

  it('keep a set as long as its longest lease', async () => {
    const { state } = await states.open({ limits: limitsOf({ perTenant: 2 }) })
    const [long, short] = [placeOf({ destinationUid: 'a' }), placeOf({ destinationUid: 'b' })]
    await state.takePlaces([long], FOR_LONG)
    await state.takePlaces([short], { ...FOR_LONG, expiresInMs: 5 })
    const end = (await view.now()) + 5
    await waitFor(async () => (await view.now()) > end, { what: 'the end of the short one' })
    expect(countTaken(await state.takePlaces(placesOf(2), FOR_LONG))).toBe(1)
  })

  it('forget at most a thousand ended places a call, and count none of the rest', async () => {
    const { state } = await states.open({ limits: limitsOf({ totalJobs: 2500 }) })
    await state.takePlaces([placeOf({ tenantUid: 'keeps the set' })], FOR_LONG)
    await state.takePlaces(placesOf(2499), { ...FOR_LONG, expiresInMs: 300 })
    const end = (await view.now()) + 300
    await waitFor(async () => (await view.now()) > end, { what: 'the end of the leases' })
    const left = await view.held()
    await state.takePlaces([], FOR_LONG)
    expect(await view.held()).toBe(left - 1000)
    expect(countTaken(await state.takePlaces(placesOf(2499), FOR_LONG))).toBe(2499)
    expect(await state.takePlaces([placeOf()], FOR_LONG)).toEqual([false])
  })

  it.each(['all', 'tenant:fresh:tenant', 'destination:fresh:destination of tenant'])(
    'drive no count below zero when Redis evicts %s alone',
    async (name) => {
      const { state } = await states.open()
      const places = [placeOf(), placeOf()]
      await state.takePlaces(places, FOR_LONG)
      await view.client.del(view.key(name))
      await state.takePlaces([placeOf()], FOR_LONG)
      await state.releasePlaces(places)
      const { bytes } = await view.contents()
      expect(bytes).toBeGreaterThanOrEqual(600)
    },
  )
})

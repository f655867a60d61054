import { setImmediate } from 'node:timers/promises'
import { type FaultProxy, startFaultProxy, testRedis, waitFor } from '@postrider/testkit'
import { countTaken, FOR_LONG, limitsOf, placeOf, placesOf } from './places.ts'
import { RedisStates } from './redis-states.ts'
import { RedisView } from './redis-view.ts'

const AWAY = 'warn redis is away, each process keeps the bounds alone'
const BACK = 'info redis is back'
const IMPATIENT_MS = 300

describe('a state whose Redis fails', () => {
  let states: RedisStates
  let view: RedisView
  let proxy: FaultProxy
  beforeEach(async () => {
    const redis = testRedis()
    const url = new URL(redis.url)
    proxy = await startFaultProxy({ host: url.hostname, port: Number(url.port || 6379) })
    url.host = `${proxy.host}:${proxy.port}`
    states = new RedisStates({ ...redis, url: url.href })
    view = new RedisView(redis)
  })
  afterEach(async () => {
    await states[Symbol.asyncDispose]()
    await proxy.stop()
    view[Symbol.dispose]()
  })

  const bothSubscribe = async (): Promise<boolean> => (await view.subscribers()) === 2

  it('keeps the bounds alone while Redis cannot be reached, and shares them once it can', async () => {
    await proxy.down()
    const { state, log } = states.dial({ limits: limitsOf({ perTenant: 4 }) })
    expect(state.isAway).toBe(true)
    expect(countTaken(await state.takePlaces(placesOf(6), FOR_LONG))).toBe(4)
    await waitFor(() => log.lines.includes(AWAY), { what: 'the warning' })
    await proxy.up()
    await waitFor(() => !state.isAway, { what: 'Redis' })
    expect(countTaken(await state.takePlaces(placesOf(6), FOR_LONG))).toBe(4)
    expect(await view.held()).toBe(4)
    expect(log.lines).toEqual([AWAY, BACK])
  })

  it('keeps marks, narrowings and announcements going in the process meanwhile', async () => {
    await proxy.down()
    const { state } = states.dial()
    const heard: string[] = []
    state.onAnnouncement(({ destinationUid }) => heard.push(destinationUid))
    await state.announce([{ destinationUid: 'a' }])
    expect(heard).toEqual(['a'])
    await state.markBacklog('tenant', 'fresh', 60_000)
    const yielding = { ...FOR_LONG, yieldToBacklog: true }
    expect(await state.takePlaces([placeOf()], yielding)).toEqual([false])
    await state.clearBacklog('tenant', 'fresh')
    await state.narrowDestination('slow', 1, 60_000)
    const slow = [1, 2].map(() => placeOf({ destinationUid: 'slow' }))
    expect(await state.takePlaces(slow, yielding)).toEqual([true, false])
    await state.releasePlaces(slow)
    expect(await state.takePlaces(slow, FOR_LONG)).toEqual([true, false])
  })

  it('waits for a hanging Redis once, then not at all', async () => {
    const { state, log } = await states.open({ commandTimeoutMs: IMPATIENT_MS })
    proxy.stall('down', true)
    const began = performance.now()
    expect(await state.takePlaces([placeOf()], FOR_LONG)).toEqual([true])
    for (let call = 0; call < 100; call++) {
      expect(await state.takePlaces([placeOf()], FOR_LONG)).toEqual([true])
    }
    // A hundred timeouts would be ten seconds.
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(log.lines).toEqual([AWAY])
    proxy.stall('down', false)
    await waitFor(() => !state.isAway, { what: 'Redis' })
    expect(log.lines).toEqual([AWAY, BACK])
  })

  it('gives back the places of a take whose answer was lost', async () => {
    const { state } = await states.open()
    const places = placesOf(3)
    proxy.stall('down', true)
    const taking = state.takePlaces(places, FOR_LONG)
    await waitFor(async () => (await view.held()) === 3, { what: 'the take in Redis' })
    proxy.cutAll()
    expect(await taking).toEqual([true, true, true]) // by the process alone
    proxy.stall('down', false)
    await waitFor(() => !state.isAway, { what: 'Redis' })
    expect(await view.held()).toBe(0)
  })

  it('gives back later what is released while Redis is away', async () => {
    const { state } = await states.open()
    const places = placesOf(2500)
    await state.takePlaces(places, FOR_LONG)
    await proxy.down()
    await waitFor(() => state.isAway, { what: 'the outage' })
    await state.releasePlaces(places.slice(1))
    await proxy.up()
    await waitFor(() => !state.isAway, { what: 'Redis' })
    expect(await view.held()).toBe(1)
  })

  it('forgets what it held alone when Redis is back', async () => {
    const { state } = await states.open({ limits: limitsOf({ perTenant: 1 }) })
    for (let outage = 0; outage < 2; outage++) {
      await proxy.down()
      await waitFor(() => state.isAway, { what: 'the outage' })
      expect(await state.takePlaces([placeOf()], FOR_LONG)).toEqual([true])
      expect(await state.takePlaces([placeOf()], FOR_LONG)).toEqual([false])
      await proxy.up()
      await waitFor(() => !state.isAway, { what: 'Redis' })
    }
    expect(await state.takePlaces([placeOf()], FOR_LONG)).toEqual([true])
  })

  it('flows on while Redis is away, though jobs are taken by one process and ended by another', async () => {
    const limits = limitsOf({ perTenant: 40 })
    const { state: one } = await states.open({ limits })
    const { state: other } = await states.open({ limits })
    await proxy.down()
    await waitFor(() => one.isAway && other.isAway, { what: 'the outage' })
    // Five leases' worth of a destination's ten places; each process ends what the other has begun.
    for (let round = 0; round < 5; round++) {
      const [ofOne, ofOther] = [one, other].map(() => Array.from({ length: 10 }, () => placeOf()))
      expect(countTaken(await one.takePlaces(ofOne ?? [], FOR_LONG))).toBe(10)
      expect(countTaken(await other.takePlaces(ofOther ?? [], FOR_LONG))).toBe(10)
      expect(countTaken(await one.takePlaces([placeOf()], FOR_LONG))).toBe(0)
      await one.releasePlaces(ofOther ?? [])
      await other.releasePlaces(ofOne ?? [])
    }
  })

  it('hears announcements again after its connection was lost', async () => {
    const { state } = await states.open()
    const { state: other } = await states.open({ url: testRedis().url })
    await waitFor(bothSubscribe, { what: 'both subscriptions' })
    const heard: string[] = []
    state.onAnnouncement(({ destinationUid }) => heard.push(destinationUid))
    await proxy.down()
    await waitFor(async () => !(await bothSubscribe()), { what: 'the loss' })
    await other.announce([{ destinationUid: 'missed' }])
    await proxy.up()
    await waitFor(bothSubscribe, { what: 'both subscriptions' })
    await other.announce([{ destinationUid: 'heard' }])
    await waitFor(() => heard.length > 0, { what: 'the announcement' })
    expect(heard).toEqual(['heard'])
  })

  it.each<[string, (faulty: FaultProxy) => void | Promise<void>]>([
    ['is away', (faulty) => faulty.down()],
    ['hangs', (faulty) => faulty.stall('down', true)],
    ['works', () => undefined],
  ])('stops soon while Redis %s, and answers on', async (_, breakIt) => {
    const { state, log } = await states.open({ commandTimeoutMs: IMPATIENT_MS })
    await state.takePlaces([placeOf()], FOR_LONG)
    await breakIt(proxy)
    const began = performance.now()
    await Promise.all([state.stop(), state.stop()])
    expect(performance.now() - began).toBeLessThan(2_000)
    await state.stop()
    expect(state.isAway).toBe(true)
    expect(await state.takePlaces([placeOf()], FOR_LONG)).toEqual([true])
    await state.releasePlaces([placeOf()])
    await state.announce([{ destinationUid: 'a' }])
    expect(await view.held()).toBe(1)
    proxy.stall('down', false) // it passes on no end while it stalls
    await waitFor(() => proxy.open === 0, { what: 'closed connections' })
    expect(log.lines.filter((line) => line !== AWAY)).toEqual([])
  })

  it('stops before it was ever connected', async () => {
    proxy.blackhole(true)
    const { state, log } = states.dial({ commandTimeoutMs: IMPATIENT_MS })
    await state.stop()
    await waitFor(() => proxy.open === 0, { what: 'closed connections' })
    expect(log.lines).toEqual([])
  })

  it('stops at any moment of being connected', async () => {
    for (let turns = 0; turns < 40; turns++) {
      const { state, log } = states.dial({ commandTimeoutMs: IMPATIENT_MS })
      for (let turn = 0; turn < turns; turn++) await setImmediate()
      await state.stop()
      expect(log.lines).toEqual([])
    }
    await waitFor(() => proxy.open === 0, { what: 'closed connections' })
  })
})

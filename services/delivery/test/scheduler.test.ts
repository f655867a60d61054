import { InProcessState } from '@postrider/state'
import { openStore, reactionTo, type Store } from '@postrider/store'
import { type FaultProxy, silentLog, startFaultProxy, waitFor } from '@postrider/testkit'
import { placeOfJob } from '../src/place.ts'
import { Scheduler } from '../src/scheduler.ts'
import { delivererSettings } from '../src/settings.ts'
import { startDelivery, testConfig } from './running-delivery.ts'
import { ScriptedJobQueue } from './scripted-job-queue.ts'
import {
  ENCRYPTION_SECRET,
  insertDeliveries,
  insertDelivery,
  insertTenant,
  insertWebhook,
  LEASE_MS,
  openWorld,
  readAttempts,
  readDelivery,
  waitForDelivery,
  type World,
} from './world.ts'

/** What was opened more than a minute ago is too old. */
const EXPIRING = { DELIVERY_MAX_AGE_SECONDS: '60' }

describe('the scheduler', () => {
  let world: World
  let jobs: ScriptedJobQueue

  beforeEach(async () => {
    world = await openWorld()
    jobs = new ScriptedJobQueue()
  })

  afterEach(async () => {
    await world[Symbol.asyncDispose]()
  })

  const waiting = { row: { isLeased: false } } as const

  it('makes a job of what is due, and it is delivered', async () => {
    const delivery = await insertDelivery(world, waiting)
    await startDelivery(world)
    await waitForDelivery(world, delivery, 'delivered', ({ status }) => status === 'success')
    expect(world.receiver.requests.map(({ eventId }) => eventId)).toEqual([delivery.event.id])
    expect(await readAttempts(world, delivery)).toEqual([
      { status: 'success', code: '200', dispatch: 1 },
    ])
  })

  it('makes a job of a retry when its time has come, for the queue of retries', async () => {
    world.receiver.answer({ status: 500 })
    const delivery = await insertDelivery(world, waiting)
    await startDelivery(world, { jobs, env: { RETRY_SCHEDULE: '0.5' } })
    const first = await waitFor(() => jobs.published[0], { what: 'the first job' })
    jobs.hand(first)
    const failed = await waitForDelivery(
      world,
      delivery,
      'failed',
      ({ status }) => status === 'failed',
    )
    expect(failed.due_in_ms).toBeGreaterThan(0)
    const second = await waitFor(() => jobs.published[1], { what: 'the second job' })
    expect([first.queue, second.queue]).toEqual(['fresh', 'retry'])
    expect(second).toMatchObject({ eventUid: delivery.event.uid, dispatch: 2, verify: false })
  })

  it('takes an ended lease for a loss, and has its next job verified', async () => {
    const delivery = await insertDelivery(world, { dueInMs: -100 })
    await startDelivery(world, { jobs })
    const job = await waitFor(() => jobs.published[0], { what: 'the job' })
    expect(job).toMatchObject({ dispatch: 2, verify: true })
    const row = await readDelivery(world, delivery)
    expect(row).toMatchObject({ leased: true, dispatch: 2, losses: 1, attempts: 0 })
    // Each loss doubles the lease.
    expect(row.due_in_ms).toBeGreaterThan(LEASE_MS)
    jobs.hand(job)
    expect(
      await waitForDelivery(world, delivery, 'delivered', ({ status }) => status === 'success'),
    ).toMatchObject({ losses: 0 })
  })

  it.each([
    ['waits', { isLeased: false }],
    ['was lost', { isLeased: true }],
  ])('ends a delivery that %s and is too old', async (_, row) => {
    const openSince = new Date(Date.now() - 61_000)
    const old = await insertDelivery(world, { row: { ...row, openSince }, dueInMs: -100 })
    const young = await insertDelivery(world, waiting)
    await startDelivery(world, { jobs, env: EXPIRING })
    await waitFor(() => jobs.published.length > 0, { what: 'the job of the other' })
    expect(
      await waitForDelivery(world, old, 'given up', ({ status }) => status !== 'pending'),
    ).toMatchObject({ status: 'failed', reason: 'expired', leased: false, due_in_ms: null })
    expect(jobs.published.map(({ eventUid }) => eventUid)).toEqual([young.event.uid])
  })

  it('gives a delivery up, loudly, when its tenth job ends without an outcome', async () => {
    const ninth = await insertDelivery(world, { dueInMs: -100, row: { losses: 8, dispatch: 9 } })
    const tenth = await insertDelivery(world, { dueInMs: -100, row: { losses: 9, dispatch: 10 } })
    const running = await startDelivery(world, { jobs })
    expect(
      await waitForDelivery(world, tenth, 'given up', ({ status }) => status !== 'pending'),
    ).toMatchObject({ status: 'failed', reason: 'lost_too_often', due_in_ms: null, dispatch: 10 })
    const job = await waitFor(() => jobs.published[0], { what: 'the last chance of the other' })
    expect(job).toMatchObject({ eventUid: ninth.event.uid, dispatch: 10, verify: true })
    expect(
      running.log.find('delivery given up: its jobs end without an outcome, again and again'),
    ).toMatchObject({ level: 'error', eventUid: tenth.event.uid })
  })

  it('claims nothing while the broker is away, and all of it when it is back', async () => {
    const delivery = await insertDelivery(world, waiting)
    const lost = await insertDelivery(world, { dueInMs: -100 })
    jobs.isAway = true
    const scheduler = openScheduler(world.store)
    expect(await scheduler.tick()).toMatchObject({ claimed: 0 })
    expect(await readDelivery(world, delivery)).toMatchObject({ leased: false, dispatch: 0 })
    expect(await readDelivery(world, lost)).toMatchObject({ dispatch: 1, losses: 0 })
    jobs.isAway = false
    expect(await scheduler.tick()).toMatchObject({ claimed: 2 })
    expect(jobs.published).toHaveLength(2)
  })

  it('gives out the places there are; the rest waits in Postgres and flows as they come free', async () => {
    // A destination has a quarter of its tenant's places.
    const env = { TENANT_RUNWAY: '8' }
    const destination = await insertWebhook(world)
    const deliveries = await insertDeliveries(world, 5, { ...waiting, destination })
    await startDelivery(world, { jobs, env })
    const next = async (count: number): Promise<void> => {
      await waitFor(() => jobs.published.length === count, { what: `${count} jobs` })
    }
    const countLeased = async (): Promise<number> => {
      const rows = await Promise.all(deliveries.map((delivery) => readDelivery(world, delivery)))
      return rows.filter(({ leased }) => leased).length
    }
    await next(2)
    expect(await countLeased()).toBe(2)
    for (let done = 0; done < 5; done++) {
      const job = jobs.published[done]
      if (job === undefined) throw new Error('a job for each place')
      expect(jobs.published.length - done).toBeLessThanOrEqual(2)
      jobs.hand(job)
      await next(Math.min(5, done + 3))
    }
    await world.receiver.waitFor(5)
    expect(new Set(jobs.published.map(({ eventUid }) => eventUid)).size).toBe(5)
  })

  it('lets a tenant without room keep nobody else waiting', async () => {
    const [full, other] = [await insertWebhook(world), await insertWebhook(world)]
    await insertDeliveries(world, 30, { ...waiting, destination: full })
    await insertDeliveries(world, 2, { ...waiting, destination: other })
    const scheduler = openScheduler(world.store, { TENANT_RUNWAY: '8' })
    expect(await scheduler.tick()).toMatchObject({ claimed: 4, waiting: 18 })
    const tenants = jobs.published.map(({ tenantUid }) => tenantUid)
    expect(tenants.filter((uid) => uid === other.tenantUid)).toHaveLength(2)
  })

  it.each([
    ['keeps a tenant’s publishes from overtaking its backlog', 0, false],
    ['lets a tenant publish past its backlog of retries, which have places of their own', 1, true],
  ])('%s', async (_, attempts, isGranted) => {
    const env = { TENANT_RUNWAY: '8' }
    const state = new InProcessState({ limits: testConfig(env).runway, log: silentLog })
    const scheduler = openScheduler(world.store, env, state)
    const destination = await insertWebhook(world)
    await insertDeliveries(world, 3, { destination, row: { isLeased: false, attempts } })
    // To another destination of the tenant, which has all its places.
    const { job } = await insertDelivery(world)
    const publish = async (): Promise<boolean | undefined> => {
      const own = placeOfJob({ ...job, tenantUid: destination.tenantUid })
      const [taken] = await state.takePlaces([own], { expiresInMs: 1000, yieldToBacklog: true })
      await state.releasePlaces([own])
      return taken
    }
    expect(await scheduler.tick()).toMatchObject({ claimed: 2, waiting: 1 })
    expect(await publish()).toBe(isGranted)
    await state.releasePlaces(jobs.published.map(placeOfJob))
    expect(await scheduler.tick()).toMatchObject({ claimed: 1, waiting: 0 })
    expect(await publish()).toBe(true)
  })

  it('publishes no dispatch twice, whoever else schedules, even when they share no places', async () => {
    const tenant = await insertTenant(world)
    for (let i = 0; i < 4; i++) {
      const destination = await insertWebhook(world, { tenant })
      await insertDeliveries(world, 50, { ...waiting, destination })
      await insertDeliveries(world, 20, { destination, dueInMs: -100 })
    }
    await Promise.all([1, 2, 3].map(() => startDelivery(world, { jobs })))
    await waitFor(() => jobs.published.length >= 280, { what: 'all jobs' })
    const dispatches = jobs.published.map(({ eventUid, dispatch }) => `${eventUid} ${dispatch}`)
    expect(new Set(dispatches).size).toBe(dispatches.length)
    expect(dispatches).toHaveLength(280)
  })

  it('makes what the broker refuses due again at once, and gives its places back', async () => {
    const destination = await insertWebhook(world)
    const deliveries = await insertDeliveries(world, 2, { ...waiting, destination })
    // Two places for the destination: kept, they would leave none for the second try.
    const scheduler = openScheduler(world.store, { TENANT_RUNWAY: '8' })
    jobs.fate = 'refused'
    expect(await scheduler.tick()).toMatchObject({ claimed: 0, waiting: 0 })
    for (const delivery of deliveries) {
      const row = await readDelivery(world, delivery)
      expect(row).toMatchObject({ leased: false, dispatch: 1, losses: 0 })
      expect(row.due_in_ms).toBeLessThanOrEqual(0)
    }
    jobs.fate = 'accepted'
    expect(await scheduler.tick()).toMatchObject({ claimed: 2 })
    expect(jobs.published.map(({ dispatch, verify }) => [dispatch, verify])).toEqual([
      [2, false],
      [2, false],
    ])
  })

  it('leaves jobs to their leases when nobody knows what became of them', async () => {
    const delivery = await insertDelivery(world, waiting)
    jobs.fate = 'unknown'
    const scheduler = openScheduler(world.store)
    expect(await scheduler.tick()).toMatchObject({ claimed: 1 })
    expect(await readDelivery(world, delivery)).toMatchObject({ leased: true, dispatch: 1 })
    expect(await scheduler.tick()).toMatchObject({ claimed: 0 })
  })

  it('says how long the delivery that has waited longest has been waiting', async () => {
    const waitingSince = new Date(Date.now() - 90_000)
    await insertDelivery(world, { row: { isLeased: false, waitingSince }, dueInMs: -100 })
    const scheduler = openScheduler(world.store)
    await scheduler.tick()
    expect(Math.round(scheduler.oldestDueAgeMs / 1000)).toBe(90)
    await scheduler.tick()
    expect(scheduler.oldestDueAgeMs).toBe(0)
  })

  describe('when Postgres was away', () => {
    let proxy: FaultProxy

    beforeEach(async () => {
      const { hostname, port } = new URL(world.database.url)
      proxy = await startFaultProxy({ host: hostname, port: Number(port) })
      world.own(proxy)
    })

    it('lets ended leases wait, so that outcomes are written first, and nothing else', async () => {
      const running = await startDelivery(world, {
        jobs,
        port: proxy.port,
        graceAfterOutageMs: 1500,
      })
      await proxy.down()
      await running.log.waitFor('a round of the scheduler failed')
      const lost = await insertDelivery(world, { dueInMs: -100 })
      const due = await insertDelivery(world, waiting)
      const upAt = performance.now()
      await proxy.up()
      await waitFor(() => jobs.published.length === 1, { what: 'the job that was due' })
      expect(jobs.published[0]).toMatchObject({ eventUid: due.event.uid })
      await waitFor(() => jobs.published.length === 2, { what: 'the job of the ended lease' })
      expect(performance.now() - upAt).toBeGreaterThanOrEqual(1500)
      expect(jobs.published[1]).toMatchObject({ eventUid: lost.event.uid, verify: true })
    })

    it('gives back the places of what it could not claim', async () => {
      const destination = await insertWebhook(world)
      await insertDeliveries(world, 2, { ...waiting, destination })
      const url = new URL(world.database.url)
      url.port = String(proxy.port)
      const store = openStore({
        url: url.href,
        applicationName: 'a scheduler',
        encryptionSecrets: [ENCRYPTION_SECRET],
        log: silentLog,
      })
      world.own({ stop: () => store.close() })
      const scheduler = openScheduler(store)
      const cut = proxy.cutWhen('up', 'claim-deliveries')
      expect(reactionTo(await scheduler.tick().catch((error: unknown) => error))).toBe('away')
      await cut
      expect(await scheduler.tick()).toMatchObject({ claimed: 2, waiting: 0 })
    })
  })

  /** A scheduler whose rounds the test makes. */
  function openScheduler(
    store: Store,
    env: Readonly<Record<string, string>> = {},
    state = new InProcessState({ limits: testConfig(env).runway, log: silentLog }),
  ): Scheduler {
    return new Scheduler({
      settings: delivererSettings(testConfig(env)),
      store,
      jobs,
      state,
      log: silentLog,
    })
  }
})

import { createHold, waitFor } from '@postrider/testkit'
import { startDelivery } from './running-delivery.ts'
import { ScriptedJobQueue } from './scripted-job-queue.ts'
import {
  insertDeliveries,
  insertWebhook,
  openWorld,
  readAttempts,
  readDelivery,
  waitForDelivery,
  type World,
} from './world.ts'

/**
 * The stop (ARCHITECTURE.md, "Modes"): what has not started is put back due now, what is being sent ends
 * and is written, and a limit leaves the rest to their leases.
 */
describe('a deliverer that stops', () => {
  let world: World
  let jobs: ScriptedJobQueue

  beforeEach(async () => {
    world = await openWorld()
    jobs = new ScriptedJobQueue()
    jobs.isAway = true
  })

  afterEach(async () => {
    await world[Symbol.asyncDispose]()
  })

  const oneAtATime = { DESTINATION_MAX_IN_FLIGHT: '1' }

  it('makes jobs that have not started due at once, and ends and writes the sends in flight', async () => {
    const running = await startDelivery(world, { jobs, env: oneAtATime })
    const hold = createHold()
    world.receiver.answer({ after: hold.released })
    const [sending, ...waiting] = await insertDeliveries(world, 4)
    if (sending === undefined) throw new Error('four deliveries were inserted')
    const handed = [sending, ...waiting].map(({ job }) => jobs.hand(job))
    await world.receiver.waitFor(1)

    const stopped = running.delivery.stop()
    for (const delivery of waiting) {
      const row = await waitForDelivery(world, delivery, 'released', ({ leased }) => !leased)
      expect(row).toMatchObject({ status: 'pending', dispatch: 1, attempts: 0, losses: 0 })
      expect(row.due_in_ms).toBeLessThanOrEqual(0)
    }
    expect(await readDelivery(world, sending)).toMatchObject({ leased: true, attempts: 0 })
    expect(handed[0]?.acks).toBe(0)

    hold.release()
    await stopped
    expect(await readDelivery(world, sending)).toMatchObject({ status: 'success', attempts: 1 })
    expect(handed.map(({ acks }) => acks)).toEqual([1, 1, 1, 1])
    expect(world.receiver.requests).toHaveLength(1)
    expect(running.log.find('stopped with jobs under way; their leases will tell')).toBeUndefined()
  })

  it('puts back once what still arrives while the intake ends, and loses count of nothing', async () => {
    const running = await startDelivery(world, { jobs, env: oneAtATime })
    const [hold, intake] = [createHold(), createHold()]
    world.receiver.answer({ after: hold.released })
    jobs.cancelled = intake.released
    const [sending, ...late] = await insertDeliveries(world, 3)
    if (sending === undefined) throw new Error('three deliveries were inserted')
    const first = jobs.hand(sending.job)
    await world.receiver.waitFor(1)

    const stopped = running.delivery.stop()
    await waitFor(() => jobs.isCancelling, { what: 'the intake to end' })
    const handed = late.map(({ job }) => jobs.hand(job))
    intake.release()
    await waitFor(() => handed.every(({ acks }) => acks > 0), { what: 'the acks' })
    hold.release()
    await stopped
    expect(await readDelivery(world, sending)).toMatchObject({ status: 'success' })
    expect([first, ...handed].map(({ acks }) => acks)).toEqual([1, 1, 1])
    for (const delivery of late) {
      expect(await readDelivery(world, delivery)).toMatchObject({ leased: false, attempts: 0 })
    }
  })

  it('leaves to their leases what has not ended by the limit, without an attempt, and says so', async () => {
    const running = await startDelivery(world, {
      jobs,
      env: { STOP_TIMEOUT_SECONDS: '1', DELIVERY_TIMEOUT_SECONDS: '20', LEASE_SECONDS: '120' },
    })
    world.receiver.answer({ fault: 'hang' })
    const [delivery] = await insertDeliveries(world, 1, { dueInMs: 120_000 })
    if (delivery === undefined) throw new Error('a delivery was inserted')
    jobs.hand(delivery.job)
    await world.receiver.waitFor(1)
    const before = performance.now()
    await running.stop()
    expect(performance.now() - before).toBeLessThan(5000)
    expect(running.log.find('stopped with jobs under way; their leases will tell')).toMatchObject({
      level: 'warn',
      count: 1,
    })
    const row = await readDelivery(world, delivery)
    expect(row).toMatchObject({ status: 'pending', leased: true, dispatch: 1, attempts: 0 })
    expect(row.due_in_ms).toBeGreaterThan(60_000)
    expect(await readAttempts(world, delivery)).toEqual([])
  })

  it('releases the jobs that nobody was given yet, when they die with the process', async () => {
    // A window that holds one job of each queue.
    const running = await startDelivery(world, { env: { DELIVERY_WINDOW: '1' } })
    const hold = createHold()
    world.receiver.answer({ after: hold.released })
    const destination = await insertWebhook(world)
    const deliveries = await insertDeliveries(world, 10, {
      destination,
      row: { isLeased: false },
    })
    await world.receiver.waitFor(1)
    const stopped = running.stop()
    hold.release()
    await stopped
    const rows = await Promise.all(deliveries.map((delivery) => readDelivery(world, delivery)))
    expect(rows.filter(({ status }) => status === 'success')).toHaveLength(1)
    const left = rows.filter(({ status }) => status === 'pending')
    expect(left).toHaveLength(9)
    for (const row of left) {
      expect(row).toMatchObject({ leased: false, losses: 0 })
      expect(row.due_in_ms).toBeLessThanOrEqual(0)
    }

    await startDelivery(world)
    await world.receiver.waitFor(10)
    expect(new Set(world.receiver.requests.map(({ eventId }) => eventId)).size).toBe(10)
  })

  it('stops once, however often it is asked to', async () => {
    const running = await startDelivery(world, { jobs })
    const first = running.delivery.stop()
    expect(running.delivery.stop()).toBe(first)
    await first
    expect(await running.delivery.readiness()).toMatchObject({ status: 'unready' })
  })
})

import { createHold, waitFor } from '@postrider/testkit'
import { startDelivery } from './running-delivery.ts'
import { ScriptedJobQueue } from './scripted-job-queue.ts'
import {
  insertDeliveries,
  insertDelivery,
  LEASE_MS,
  openWorld,
  readAttempts,
  readDelivery,
  waitForDelivery,
  type World,
} from './world.ts'

/**
 * Rule 3: of all copies of a job one is sent.
 *
 * - a redelivered job is put back, whatever became of its first copy
 * - a job past half of its lease, or marked `verify`, takes its row first
 */
describe('taking a job', () => {
  let world: World
  /** Away, so that schedulers claim nothing: the copies that the test hands out are all there are. */
  let jobs: ScriptedJobQueue

  beforeEach(async () => {
    world = await openWorld()
    jobs = new ScriptedJobQueue()
    jobs.isAway = true
  })

  afterEach(async () => {
    await world[Symbol.asyncDispose]()
  })

  it('sends a job in the first half of its lease without asking for its row', async () => {
    await startDelivery(world, { jobs })
    const delivery = await insertDelivery(world)
    const handed = jobs.hand(delivery.job)
    await waitFor(() => handed.acks === 1, { what: 'the ack' })
    expect(await readAttempts(world, delivery)).toEqual([
      { status: 'success', code: '200', dispatch: 1 },
    ])
  })

  it('puts a redelivered job back while its first send is still running, and sends it once', async () => {
    await startDelivery(world, { jobs })
    const others = new ScriptedJobQueue()
    await startDelivery(world, { jobs: others })
    const delivery = await insertDelivery(world)
    const hold = createHold()
    world.receiver.answer({ after: hold.released })
    const original = jobs.hand(delivery.job)
    await world.receiver.waitFor(1)
    original.loseChannel()
    const before = await readDelivery(world, delivery)
    expect(before.due_in_ms).toBeGreaterThan(3500)

    const copy = others.hand(delivery.job, { redelivered: true })
    await waitFor(() => copy.acks === 1, { what: 'the ack of the copy' })
    // The timeout of an attempt (1 s) and 2 s for its outcome.
    const putBack = await readDelivery(world, delivery)
    expect(putBack).toMatchObject({ status: 'pending', leased: true, dispatch: 1, attempts: 0 })
    expect(putBack.due_in_ms).toBeLessThanOrEqual(3000)

    hold.release()
    const row = await waitForDelivery(
      world,
      delivery,
      'closed',
      ({ status }) => status === 'success',
    )
    expect(row).toMatchObject({ leased: false, due_in_ms: null, dispatch: 1, attempts: 1 })
    expect(world.receiver.requests).toHaveLength(1)
    expect(copy.acks).toBe(1)
  })

  it('sends a redelivered job after all, once its lease has shown that nobody has it', async () => {
    jobs.isAway = false
    await startDelivery(world, { jobs })
    const delivery = await insertDelivery(world)
    const copy = jobs.hand(delivery.job, { redelivered: true })
    await waitFor(() => copy.acks === 1, { what: 'the ack of the copy' })
    expect(world.receiver.requests).toHaveLength(0)
    const again = await waitFor(() => jobs.published[0], { what: 'the job to be made again' })
    expect(again).toMatchObject({ verify: true, dispatch: 2 })
    jobs.hand(again)
    await waitForDelivery(world, delivery, 'delivered', ({ status }) => status === 'success')
    expect(world.receiver.requests).toHaveLength(1)
  })

  it.each([
    ['that is older than half of its lease', LEASE_MS / 2 - 500, false],
    ['that is marked verify', LEASE_MS, true],
  ])('takes the row of a job %s, and the second copy is stale', async (_, dueInMs, verify) => {
    await startDelivery(world, { jobs })
    const others = new ScriptedJobQueue()
    others.isAway = true
    await startDelivery(world, { jobs: others })
    const delivery = await insertDelivery(world, { dueInMs })
    const job = { ...delivery.job, verify }
    const hold = createHold()
    world.receiver.answer({ after: hold.released })

    const copies = [jobs.hand(job), others.hand(job), jobs.hand(job)]
    await waitFor(() => copies.filter(({ acks }) => acks === 1).length === 2, {
      what: 'the acks of two copies',
    })
    await world.receiver.waitFor(1)
    const row = await readDelivery(world, delivery)
    expect(row).toMatchObject({ leased: true, dispatch: 2, attempts: 0 })
    expect(row.due_in_ms).toBeGreaterThan(LEASE_MS / 2)

    hold.release()
    await waitFor(() => copies.every(({ acks }) => acks === 1), { what: 'all acks' })
    expect(await readAttempts(world, delivery)).toEqual([
      { status: 'success', code: '200', dispatch: 2 },
    ])
    expect(world.receiver.requests).toHaveLength(1)
  })

  it('acks a job unsent whose delivery went on without it', async () => {
    await startDelivery(world, { jobs })
    const delivery = await insertDelivery(world, { row: { dispatch: 3 } })
    const handed = jobs.hand({ ...delivery.job, dispatch: 2, verify: true })
    await waitFor(() => handed.acks === 1, { what: 'the ack' })
    expect(world.receiver.requests).toHaveLength(0)
    expect(await readDelivery(world, delivery)).toMatchObject({ leased: true, dispatch: 3 })
  })

  it('forgets a job whose channel was lost before its turn came', async () => {
    await startDelivery(world, {
      jobs,
      env: { DESTINATION_MAX_IN_FLIGHT: '1' },
    })
    const hold = createHold()
    world.receiver.answer({ after: hold.released })
    const deliveries = await insertDeliveries(world, 2)
    const [sending, waiting] = deliveries.map(({ job }) => jobs.hand(job))
    await world.receiver.waitFor(1)
    waiting?.loseChannel()
    hold.release()
    await waitFor(() => sending?.acks === 1, { what: 'the ack' })
    expect(world.receiver.requests).toHaveLength(1)
    expect(waiting?.acks).toBe(0)
  })

  it('redeems a claim check: large data comes from Postgres, byte for byte', async () => {
    await startDelivery(world, { jobs })
    const data = JSON.stringify({ n: '\u00e9', text: 'x'.repeat(70_000) })
    const delivery = await insertDelivery(world, { event: { data } })
    jobs.hand({ ...delivery.job, data: null })
    const [request] = await world.receiver.waitFor(1)
    expect(request?.body.toString()).toBe(data)
  })
})

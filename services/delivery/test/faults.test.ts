import { CredentialsCipher } from '@postrider/store'
import { createHold, type FaultProxy, startFaultProxy, waitFor } from '@postrider/testkit'
import { type RunningDelivery, startDelivery } from './running-delivery.ts'
import { ScriptedJobQueue } from './scripted-job-queue.ts'
import {
  changeWebhook,
  insertDeliveries,
  insertDelivery,
  insertTenant,
  insertWebhook,
  openWorld,
  readAttempts,
  readDelivery,
  waitForDelivery,
  type World,
} from './world.ts'

/**
 * What becomes of jobs when it is we who fail:
 *
 * - before the send: back off without an attempt, counted
 * - Postgres away between the send and its outcome: nothing is acked, nothing is sent twice
 * - Postgres away before the send: nothing is sent that is not true any more
 */
describe('faults of ours', () => {
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

  describe('before the send', () => {
    const cipher = new CredentialsCipher(['a secret that nobody has configured any more'])

    it('back off through Postgres without an attempt, are counted, and stop nobody else', async () => {
      await startDelivery(world, { jobs })
      const tenant = await insertTenant(world)
      const ours = await insertDelivery(world, {
        destination: await insertWebhook(world, { tenant, cipher }),
      })
      const other = await insertDelivery(world, {
        destination: await insertWebhook(world, { tenant }),
      })
      const [faulty, healthy] = [jobs.hand(ours.job), jobs.hand(other.job)]
      await waitFor(() => faulty.acks === 1 && healthy.acks === 1, { what: 'the acks' })

      const row = await readDelivery(world, ours)
      expect(row).toMatchObject({ status: 'pending', leased: false, attempts: 0, faults: 1 })
      expect(row.due_in_ms).toBeLessThanOrEqual(1100)
      expect(await readAttempts(world, ours)).toEqual([])
      expect(await readDelivery(world, other)).toMatchObject({ status: 'success' })
      expect(world.receiver.requests).toHaveLength(1)
    })

    it('come again, and count on', async () => {
      jobs.isAway = false
      await startDelivery(world, { jobs })
      const destination = await insertWebhook(world, { cipher })
      const delivery = await insertDelivery(world, { destination })
      jobs.hand(delivery.job)
      const again = await waitFor(() => jobs.published[0], { what: 'the job to come again' })
      expect(again).toMatchObject({ queue: 'fresh', dispatch: 2, verify: false })
      jobs.hand(again)
      const row = await waitForDelivery(world, delivery, 'faulted', ({ faults }) => faults === 2)
      expect(row.due_in_ms).toBeGreaterThan(1000)
    })

    it('end as a recorded attempt when there were twenty of them', async () => {
      await startDelivery(world, { jobs })
      const destination = await insertWebhook(world, { cipher })
      const delivery = await insertDelivery(world, { destination })
      await world.store.pools.query.query('update deliveries set faults = 19')
      jobs.hand(delivery.job)
      await waitForDelivery(world, delivery, 'failed', ({ status }) => status === 'failed')
      expect(await readAttempts(world, delivery)).toEqual([
        { status: 'failed', code: 'internal_error', dispatch: 1 },
      ])
    })
  })

  describe('while Postgres is away', () => {
    let proxy: FaultProxy
    let running: RunningDelivery

    beforeEach(async () => {
      const { hostname, port } = new URL(world.database.url)
      proxy = await startFaultProxy({ host: hostname, port: Number(port) })
      world.own(proxy)
      running = await startDelivery(world, { jobs, port: proxy.port })
    })

    it('nothing is acked before its outcome has committed, and nothing is sent twice', async () => {
      const hold = createHold()
      const deliveries = await insertDeliveries(world, 5)
      world.receiver.answer(...deliveries.map(() => ({ after: hold.released })))
      const handed = deliveries.map(({ job }) => jobs.hand(job))
      await world.receiver.waitFor(deliveries.length)
      await proxy.down()
      hold.release()
      await running.log.waitFor('postgres does not answer; trying again')
      expect(handed.map(({ acks }) => acks)).toEqual([0, 0, 0, 0, 0])

      await proxy.up()
      await waitFor(() => handed.every(({ acks }) => acks === 1), { what: 'the acks' })
      for (const delivery of deliveries) {
        expect(await readDelivery(world, delivery)).toMatchObject({
          status: 'success',
          attempts: 1,
        })
      }
      expect(world.receiver.requests).toHaveLength(deliveries.length)
    })

    it('an outcome whose COMMIT was answered to nobody is recorded once', async () => {
      const delivery = await insertDelivery(world)
      const cut = proxy.cutWhen('up', 'commit', { forward: true })
      const handed = jobs.hand(delivery.job)
      await cut
      await waitFor(() => handed.acks === 1, { what: 'the ack' })
      expect(await readAttempts(world, delivery)).toEqual([
        { status: 'success', code: '200', dispatch: 1 },
      ])
      expect(await readDelivery(world, delivery)).toMatchObject({ status: 'success', attempts: 1 })
    })

    it('a job that waits for its row does not go out with what was known before', async () => {
      const destination = await insertWebhook(world)
      const first = jobs.hand((await insertDelivery(world, { destination })).job)
      await waitFor(() => first.acks === 1, { what: 'the first delivery' })
      const delivery = await insertDelivery(world, { destination })
      proxy.stall('up', true)
      const handed = jobs.hand({ ...delivery.job, verify: true })
      const changedAt = performance.now()
      await changeWebhook(world, destination, { url: `${world.receiver.url}/new` })
      await waitFor(() => performance.now() - changedAt > 5000, { what: 'the promise to be due' })
      proxy.stall('up', false)
      await waitFor(() => handed.acks === 1, { what: 'the ack' })
      expect(world.receiver.requests.map(({ path }) => path)).toEqual(['/', '/new'])
    })

    it('a job whose channel is lost meanwhile is forgotten, for it is handed out elsewhere', async () => {
      const delivery = await insertDelivery(world)
      await proxy.down()
      const handed = jobs.hand(delivery.job)
      await running.log.waitFor('postgres does not answer; trying again')
      handed.loseChannel()
      await proxy.up()
      const later = await insertDelivery(world)
      const next = jobs.hand(later.job)
      await waitFor(() => next.acks === 1, { what: 'a later job' })
      expect(world.receiver.requests.map(({ eventId }) => eventId)).toEqual([later.event.id])
      expect(await readDelivery(world, delivery)).toMatchObject({ leased: true, dispatch: 1 })
    })
  })
})

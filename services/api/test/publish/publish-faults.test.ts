import { InProcessJobQueue, type JobQueue, type PublishFate } from '@postrider/broker'
import {
  createHold,
  createTestDatabase,
  type FaultProxy,
  silentLog,
  startFaultProxy,
  type TestDatabase,
  waitFor,
} from '@postrider/testkit'
import { insertTenant, openService, readStored } from './publish-fixture.ts'

/**
 * What a 202 promises, and what callers hear, when the servers behind the api fail:
 * - the queue is away, refuses jobs, or says nothing about them
 * - Postgres is away, or its answer to a commit is lost
 * - a tenant has no places left
 */
describe('publishing while servers fail', () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await createTestDatabase()
  })

  afterAll(async () => {
    await database[Symbol.asyncDispose]()
  })

  it('accepts events while the queue is away, and leaves them due in Postgres', async () => {
    const jobs = new InProcessJobQueue({ log: silentLog })
    await jobs.stop()
    await using service = openService({ database, jobs })
    const { tenant } = await insertTenant(service.store, {})

    await service.publish({ tenant_id: tenant.id, data: {} }).expect(202)

    expect((await readStored(service.store, tenant.uid)).deliveries).toMatchObject([
      { status: 'pending', leased: false, dispatch: 0, is_due: true },
    ])
  })

  it('makes a delivery due and gives its place back when the queue refuses its job', async () => {
    await using service = openService({ database, jobs: queueThatAnswers('refused') })
    const { tenant } = await insertTenant(service.store, {})

    await service.publish({ tenant_id: tenant.id, data: {} }).expect(202)

    const delivery = await waitFor(
      async () => {
        const { deliveries } = await readStored(service.store, tenant.uid)
        return deliveries.find(({ leased }) => !leased)
      },
      { what: 'the delivery to be released' },
    )
    expect(delivery).toMatchObject({ status: 'pending', dispatch: 1, is_due: true })
    await service.api.stop()
    const place = {
      queue: 'fresh' as const,
      tenantUid: tenant.uid,
      destinationUid: delivery.destination_uid,
      eventUid: delivery.event_uid,
      dispatch: 1,
      bytes: 1,
    }
    const options = { expiresInMs: 1000, yieldToBacklog: false }
    // A place that is held is not given to anybody else.
    expect(await service.state.takePlaces([place], options)).toEqual([true])
  })

  it('leaves a delivery to its lease when nobody knows what became of its job', async () => {
    await using service = openService({ database, jobs: queueThatAnswers('unknown') })
    const { tenant } = await insertTenant(service.store, {})

    await service.publish({ tenant_id: tenant.id, data: {} }).expect(202)
    await service.api.stop()

    expect((await readStored(service.store, tenant.uid)).deliveries).toMatchObject([
      { status: 'pending', leased: true, dispatch: 1, is_due: false },
    ])
  })

  it('leaves what exceeds the runway of a tenant in Postgres, and what comes after it', async () => {
    // A destination has a quarter of its tenant's places.
    await using service = openService({ database, env: { TENANT_RUNWAY: '400' } })
    const { tenant } = await insertTenant(service.store, {})
    const publishes = Array.from({ length: 120 }, (_, n) =>
      service.publish({ tenant_id: tenant.id, data: { n } }).expect(202),
    )

    await Promise.all(publishes)
    await service.api.stop()

    const { deliveries } = await readStored(service.store, tenant.uid)
    const leased = deliveries.filter((delivery) => delivery.leased)
    const waiting = deliveries.filter((delivery) => !delivery.leased && delivery.is_due)
    expect([leased.length, waiting.length]).toEqual([100, 20])
  })

  it('answers before the queue has its jobs, and does not stop before', async () => {
    const hold = createHold()
    const jobs = { ...queueThatAnswers('accepted'), publish: () => hold.released.then(() => []) }
    await using service = openService({ database, jobs })
    const { tenant } = await insertTenant(service.store, {})
    await service.publish({ tenant_id: tenant.id, data: {} }).expect(202)

    const stopped = service.api.stop().then(() => 'stopped')
    // Time enough for a stop that waits for nothing.
    const asked = service.store.pools.query.query('select 1').then(() => 'still stopping')
    expect(await Promise.race([stopped, asked])).toBe('still stopping')
    hold.release()
    expect(await stopped).toBe('stopped')
  })

  describe('of Postgres', () => {
    let proxy: FaultProxy
    let throughProxy: string

    beforeEach(async () => {
      const url = new URL(database.url)
      proxy = await startFaultProxy({ host: url.hostname, port: Number(url.port) })
      url.hostname = proxy.host
      url.port = String(proxy.port)
      throughProxy = url.href
    })

    afterEach(async () => {
      await proxy.stop()
    })

    it('answers 503 with Retry-After while it is away, and accepts events when it is back', async () => {
      await using service = openService({ database, postgresUrl: throughProxy })
      const { tenant } = await insertTenant(service.store, {})
      const publish = () => service.publish({ id: 'kept', tenant_id: tenant.id, data: {} })
      await proxy.down()

      const refused = await publish()
      await proxy.up()
      const accepted = await publish()

      expect([refused.status, refused.body.code]).toEqual([503, 'unavailable'])
      expect(refused.headers['retry-after']).toMatch(/^\d+$/)
      expect([accepted.status, accepted.body.duplicate]).toEqual([202, false])
    })

    it('answers 503 when the answer to a commit is lost, and knows the event when it comes again', async () => {
      await using service = openService({ database, postgresUrl: throughProxy })
      const { tenant } = await insertTenant(service.store, { id: 'one' })
      const publish = () => service.publish({ id: 'lost', tenant_id: tenant.id, data: {} })
      // A column of the answer to the publish statement, which comes after its commit.
      const cut = proxy.cutWhen('down', 'lease_end_ms')

      const first = await publish()
      await cut
      const second = await publish()

      expect([first.status, first.body.code]).toEqual([503, 'unavailable'])
      expect(second.body).toEqual({ id: 'lost', duplicate: true, destination_ids: ['one'] })
      expect((await readStored(service.store, tenant.uid)).events).toHaveLength(1)
    })
  })
})

/** A queue that is there, takes nothing, and answers always the same. */
function queueThatAnswers(fate: PublishFate): JobQueue {
  return {
    isAway: false,
    ready: () => Promise.resolve(),
    publish: (jobs) => Promise.resolve(jobs.map(() => fate)),
    consume: () => Promise.reject(new Error('nothing to consume')),
    stop: () => Promise.resolve(),
  }
}

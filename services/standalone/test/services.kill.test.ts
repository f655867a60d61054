import { type FaultProxy, startFaultProxy } from '@postrider/testkit'
import type { Client } from './client.ts'
import { DistributedSet } from './distributed-set.ts'
import type { ServiceProcess } from './processes.ts'
import { SHORT_LEASES } from './settings.ts'
import { Trial, TRIAL_TIMEOUT_MS } from './trial.ts'

describe('a service of the distributed set that ends or is cut off in a burst of publishes', () => {
  let set: DistributedSet
  /** To RabbitMQ, for a deliverer that is to be cut off. */
  let line: FaultProxy
  let api: ServiceProcess
  let client: Client
  let deliverer: ServiceProcess

  beforeAll(async () => {
    set = await DistributedSet.start()
    line = await startFaultProxy({ port: Number(new URL(set.rabbitMq.url).port) })
  })

  beforeEach(async () => {
    ;[{ api, client }, deliverer] = await Promise.all([set.startApi(), set.startDeliverer()])
  })

  afterEach(async () => {
    await set.stopServices()
  })

  afterAll(async () => {
    await line.stop()
    await set[Symbol.asyncDispose]()
  })

  it(
    'a deliverer, killed: another one takes over, and only what it had in its hands comes twice',
    async () => {
      await using trial = await Trial.start(client)
      await trial.arrivals(50)
      await deliverer.kill()
      await set.startDeliverer()
      await trial.burst.reached(500)
      const { missing, doubled } = await trial.tally(client)
      expect(missing).toEqual([])
      expect(doubled).toBeLessThanOrEqual(Number(SHORT_LEASES.DELIVERY_WINDOW))
    },
    TRIAL_TIMEOUT_MS,
  )

  it(
    'a deliverer beside another one, killed: the other one delivers the rest',
    async () => {
      await set.startDeliverer()
      await using trial = await Trial.start(client)
      await trial.arrivals(50)
      await deliverer.kill()
      await trial.burst.reached(500)
      const { missing, doubled } = await trial.tally(client)
      expect(missing).toEqual([])
      expect(doubled).toBeLessThanOrEqual(Number(SHORT_LEASES.DELIVERY_WINDOW))
    },
    TRIAL_TIMEOUT_MS,
  )

  it(
    'a deliverer, told to stop: it ends what it has begun, and the next one delivers the rest once',
    async () => {
      await using trial = await Trial.start(client)
      await trial.arrivals(50)
      const askedAt = performance.now()
      const code = await deliverer.stop()
      const tookMs = performance.now() - askedAt
      await set.startDeliverer()
      await trial.burst.reached(500)
      expect(await trial.tally(client)).toEqual({ missing: [], doubled: 0 })
      expect(code).toBe(0)
      // Its stop timeout is 25 s; what is in flight ends within the delivery timeout of 1 s.
      expect(tookMs).toBeLessThan(5_000)
    },
    TRIAL_TIMEOUT_MS,
  )

  it(
    'a deliverer, cut off from RabbitMQ again and again: what it had in its hands does not come twice',
    async () => {
      const url = new URL(set.rabbitMq.url)
      url.port = String(line.port)
      await deliverer.stop()
      await set.startDeliverer({ RABBITMQ_URL: url.href })
      await using trial = await Trial.start(client)
      for (let count = 50; count <= 250; count += 50) {
        await trial.arrivals(count)
        line.cutAll()
      }
      expect(await trial.tally(client)).toEqual({ missing: [], doubled: 0 })
    },
    TRIAL_TIMEOUT_MS,
  )

  it(
    'the api, killed: every event that got a 202 is delivered once',
    async () => {
      await using trial = await Trial.start(client)
      await trial.arrivals(50)
      await trial.burst.reached(250)
      await api.kill()
      await trial.burst.end()
      const next = await set.startApi()
      expect(await trial.tally(next.client)).toEqual({ missing: [], doubled: 0 })
    },
    TRIAL_TIMEOUT_MS,
  )
})

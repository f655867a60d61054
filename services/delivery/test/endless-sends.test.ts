import type { SendResult } from '@postrider/destinations'
import { InProcessState } from '@postrider/state'
import { readClockMs, readDestinationsForDelivery, readDestinationVersions } from '@postrider/store'
import { waitFor } from '@postrider/testkit'
import { Deliverer } from '../src/deliverer.ts'
import { DeliveryMetrics } from '../src/delivery-metrics.ts'
import { DestinationCache } from '../src/destination-cache.ts'
import { PgClock } from '../src/pg-clock.ts'
import { delivererSettings } from '../src/settings.ts'
import { LogBook, testConfig } from './running-delivery.ts'
import { ScriptedJobQueue } from './scripted-job-queue.ts'
import {
  insertDeliveries,
  insertWebhook,
  openWorld,
  readAttempts,
  readDelivery,
  type World,
} from './world.ts'

const SUCCESS: SendResult = {
  status: 'success',
  code: '200',
  response: null,
  retryAfterMs: null,
  disable: false,
}

/** A sender that breaks its promise to end, until a test ends its sends for it. */
class EndlessSender {
  readonly sends: {
    readonly resolve: (result: SendResult) => void
    readonly reject: (error: Error) => void
  }[] = []

  async send(): Promise<SendResult> {
    return new Promise((resolve, reject) => this.sends.push({ resolve, reject }))
  }

  async stop(): Promise<void> {
    // It has nothing.
  }
}

/** The backstop behind senders: see `OpenSends`. */
describe('sends that never end', () => {
  let world: World
  let jobs: ScriptedJobQueue
  let sender: EndlessSender
  let log: LogBook
  let deliverer: Deliverer

  beforeEach(async () => {
    world = await openWorld()
    jobs = new ScriptedJobQueue()
    sender = new EndlessSender()
    log = new LogBook()
    deliverer = await startDeliverer()
  })

  afterEach(async () => {
    await deliverer.stop(AbortSignal.timeout(1000))
    await world[Symbol.asyncDispose]()
  })

  async function startDeliverer(): Promise<Deliverer> {
    const { store } = world
    const config = testConfig()
    const state = new InProcessState({ limits: config.runway, log })
    world.own(state)
    const clock = new PgClock(() => readClockMs(store))
    await clock.sync()
    const started = new Deliverer({
      settings: { ...delivererSettings(config), destinationMaxInFlight: 2, sendLimitMs: 100 },
      store,
      jobs,
      state,
      destinations: new DestinationCache({
        read: (uids) => readDestinationsForDelivery(store, uids, { signedTypes: [] }),
        readVersions: (uids) => readDestinationVersions(store, uids),
      }),
      clock,
      senderOf: () => sender,
      metrics: new DeliveryMetrics({ held: () => started.held, oldestDueAgeMs: () => 0 }),
      log,
    })
    await started.start()
    return started
  }

  it('are left to their leases, and give their places to others', async () => {
    const destination = await insertWebhook(world)
    const deliveries = await insertDeliveries(world, 3, { destination })
    const [first, second, third] = deliveries.map(({ job }) => jobs.hand(job))
    await waitFor(() => sender.sends.length === 2, { what: 'as many sends as there are places' })
    deliverer.sweep()
    expect(sender.sends).toHaveLength(2)

    await waitFor(
      () => {
        deliverer.sweep()
        return sender.sends.length === 3
      },
      { what: 'the third send' },
    )
    expect([first?.acks, second?.acks, third?.acks]).toEqual([1, 1, 0])
    expect(deliverer.held).toBe(1)
    const told = log.lines.filter(({ message }) => message === 'a delivery is left to its lease')
    expect(told).toEqual(
      deliveries.slice(0, 2).map(({ event }) =>
        expect.objectContaining({
          level: 'error',
          eventId: event.id,
          error: new Error('a sender of the type webhook does not end its send'),
        }),
      ),
    )

    sender.sends[2]?.resolve(SUCCESS)
    await waitFor(() => third?.acks === 1, { what: 'the third to be written' })
    expect(deliverer.held).toBe(0)
  })

  it('count for nothing when they end after all', async () => {
    const destination = await insertWebhook(world)
    const deliveries = await insertDeliveries(world, 2, { destination })
    const handed = deliveries.map(({ job }) => jobs.hand(job))
    await waitFor(() => sender.sends.length === 2, { what: 'the sends' })
    await waitFor(
      () => {
        deliverer.sweep()
        return handed.every(({ acks }) => acks === 1)
      },
      { what: 'the sends to be given up' },
    )
    sender.sends[0]?.resolve(SUCCESS)
    sender.sends[1]?.reject(new Error('too late'))

    const [later] = await insertDeliveries(world, 1, { destination })
    const last = later === undefined ? undefined : jobs.hand(later.job)
    await waitFor(() => sender.sends.length === 3, { what: 'a later send' })
    sender.sends[2]?.resolve(SUCCESS)
    await waitFor(() => last?.acks === 1, { what: 'the later one to be written' })
    for (const delivery of deliveries) {
      expect(await readAttempts(world, delivery)).toEqual([])
      expect(await readDelivery(world, delivery)).toMatchObject({ status: 'pending', leased: true })
    }
    expect(handed.map(({ acks }) => acks)).toEqual([1, 1])
    expect(deliverer.held).toBe(0)
  })
})

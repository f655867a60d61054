import { newUid } from '@postrider/common'
import {
  createHold,
  type DestinationRow,
  type ReceivedRequest,
  type Receiver,
  startReceiver,
  verifySignature,
  waitFor,
} from '@postrider/testkit'
import { type RunningDelivery, startDelivery } from './running-delivery.ts'
import { ScriptedJobQueue } from './scripted-job-queue.ts'
import {
  changeWebhook,
  type DeliveryState,
  insertDelivery,
  insertTenant,
  insertWebhook,
  openWorld,
  readAttempts,
  readDelivery,
  type TestDelivery,
  type World,
} from './world.ts'

/** What ARCHITECTURE.md, "Delivery, and the five rules" promises of a change that has committed. */
const IN_TIME_MS = 5000

/**
 * Rule 5: a cache may answer "send", only Postgres can say no; and what it remembers is fresh enough,
 * with announcements or without.
 */
describe('a destination that changes', () => {
  let world: World
  let jobs: ScriptedJobQueue
  let running: RunningDelivery
  let destination: DestinationRow

  beforeEach(async () => {
    world = await openWorld()
    jobs = new ScriptedJobQueue()
    jobs.isAway = true
    running = await startDelivery(world, { jobs })
    destination = await insertWebhook(world)
  })

  afterEach(async () => {
    await world[Symbol.asyncDispose]()
  })

  /** Hands out a job and waits until something has come of it. */
  const deliver = async (delivery: TestDelivery): Promise<DeliveryState> => {
    const handed = jobs.hand(delivery.job)
    await waitFor(() => handed.acks === 1, { what: 'the ack' })
    return await readDelivery(world, delivery)
  }
  const deliverNext = async (): Promise<DeliveryState> =>
    await deliver(await insertDelivery(world, { destination }))

  it('is delivered to, not skipped, when it is enabled again behind a stale cache', async () => {
    await changeWebhook(world, destination, { isDisabled: true })
    expect(await deliverNext()).toMatchObject({ status: 'skipped', reason: 'destination_disabled' })
    const next = await insertDelivery(world, { destination })
    await changeWebhook(world, destination, { isDisabled: false })
    expect(await deliver(next)).toMatchObject({ status: 'success', reason: null })
    expect(world.receiver.requests).toHaveLength(1)
  })

  describe.each([
    ['with announcements', true],
    ['without announcements', false],
  ])('%s', (_, isAnnounced) => {
    const change = async (given: Parameters<typeof changeWebhook>[2]): Promise<void> => {
      expect(await deliverNext()).toMatchObject({ status: 'success' })
      await changeWebhook(world, destination, given)
      if (isAnnounced) await running.state.announce([{ destinationUid: destination.uid }])
    }
    /** Delivers one after the other until it is so; answers how many milliseconds that took. */
    const deliverUntil = async (isSo: () => Promise<boolean> | boolean): Promise<number> => {
      const startedAt = performance.now()
      await waitFor(
        async () => {
          await deliverNext()
          return await isSo()
        },
        { what: 'the change to be used', deadlineMs: 2 * IN_TIME_MS },
      )
      return performance.now() - startedAt
    }
    // What is announced is used by the very next; what is not, by the third second at the latest.
    const limitMs = isAnnounced ? 1000 : IN_TIME_MS

    it('is not sent to any more when it was disabled', async () => {
      await change({ isDisabled: true })
      const tookMs = await deliverUntil(async () => {
        const { rows } = await world.store.pools.query.query<{ reason: string }>(
          `select reason from deliveries where status = 'skipped'`,
        )
        return rows.some(({ reason }) => reason === 'destination_disabled')
      })
      expect(tookMs).toBeLessThan(limitMs)
      const sent = world.receiver.requests.length
      expect(await deliverNext()).toMatchObject({ status: 'skipped' })
      expect(world.receiver.requests).toHaveLength(sent)
    })

    it('is sent to at its new URL', async () => {
      const moved: Receiver = await startReceiver()
      world.own(moved)
      await change({ url: moved.url })
      expect(await deliverUntil(() => moved.requests.length > 0)).toBeLessThan(limitMs)
      const old = world.receiver.requests.length
      await deliverNext()
      expect(world.receiver.requests).toHaveLength(old)
    })

    it('is signed for with its new secret', async () => {
      await change({ secret: 'whsec_second' })
      const isSigned = (): boolean => isSignedWith('whsec_second', world.receiver.requests.at(-1))
      expect(await deliverUntil(isSigned)).toBeLessThan(limitMs)
      await deliverNext()
      expect(isSignedWith('whsec_first', world.receiver.requests.at(-1))).toBe(false)
    })
  })

  it('gets nothing of its predecessor when it was deleted and made again under its id', async () => {
    const tenant = await insertTenant(world)
    const old = await insertWebhook(world, {
      tenant,
      id: 'orders',
      url: `${world.receiver.url}/old`,
    })
    expect(await deliver(await insertDelivery(world, { destination: old }))).toMatchObject({
      status: 'success',
    })
    const left = await insertDelivery(world, { destination: old })
    await changeWebhook(world, old, { isDeleted: true })
    await running.state.announce([{ destinationUid: old.uid }])
    const again = await insertWebhook(world, {
      tenant,
      id: 'orders',
      url: `${world.receiver.url}/new`,
    })
    const next = await insertDelivery(world, { destination: again })

    expect(await deliver(left)).toMatchObject({ status: 'skipped', reason: 'destination_deleted' })
    expect(await deliver(next)).toMatchObject({ status: 'success' })
    expect(world.receiver.requests.map(({ path }) => path)).toEqual(['/old', '/new'])
  })

  it('is told apart from another tenant’s of the same id, also for events of the same id', async () => {
    const deliveries = await Promise.all(
      ['one', 'two'].map(async (id) => {
        const tenant = await insertTenant(world, { id: `${id}-${newUid()}` })
        const url = `${world.receiver.url}/${id}`
        const same = await insertWebhook(world, { tenant, id: 'same', url, secret: `whsec_${id}` })
        const event = { id: 'same', data: JSON.stringify({ tenant: id }) }
        return await insertDelivery(world, { destination: same, event })
      }),
    )
    for (const delivery of deliveries) {
      expect(await deliver(delivery)).toMatchObject({ status: 'success', attempts: 1 })
      expect(await readAttempts(world, delivery)).toHaveLength(1)
    }
    expect(
      world.receiver.requests.map((request) => ({
        path: request.path,
        eventId: request.eventId,
        body: request.body.toString(),
        isSigned: ['one', 'two'].map((id) => isSignedWith(`whsec_${id}`, request)),
      })),
    ).toEqual([
      { path: '/one', eventId: 'same', body: '{"tenant":"one"}', isSigned: [true, false] },
      { path: '/two', eventId: 'same', body: '{"tenant":"two"}', isSigned: [false, true] },
    ])
  })

  it('is disabled when it answers 410', async () => {
    world.receiver.answer({ status: 410 })
    expect(await deliverNext()).toMatchObject({ status: 'failed' })
    await running.log.waitFor('destination disabled: it answered 410')
    expect(await deliverNext()).toMatchObject({ status: 'skipped', reason: 'destination_disabled' })
  })

  it('is not disabled by a 410 that answers for what it was before', async () => {
    const hold = createHold()
    world.receiver.answer({ status: 410, after: hold.released })
    const delivery = await insertDelivery(world, { destination })
    const delivered = deliver(delivery)
    await world.receiver.waitFor(1)
    await changeWebhook(world, destination, { url: `${world.receiver.url}/new` })
    await running.state.announce([{ destinationUid: destination.uid }])
    hold.release()
    expect(await delivered).toMatchObject({ status: 'failed' })
    expect(await deliverNext()).toMatchObject({ status: 'success' })
    expect(running.log.find('destination disabled: it answered 410')).toBeUndefined()
  })
})

function isSignedWith(secret: string, request: ReceivedRequest | undefined): boolean {
  if (request === undefined) return false
  const header = String(request.headers['x-service-signature'])
  return verifySignature({ secret, header, body: request.body })
}

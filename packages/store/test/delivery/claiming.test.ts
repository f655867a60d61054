import {
  claimDeliveries,
  type DueDelivery,
  findEndedLeases,
  findWaiting,
  giveUp,
  WALK_START,
  writeOutcomes,
} from '../../src/index.ts'
import {
  attempted,
  type Fixture,
  insertDelivery,
  insertDestination,
  insertTenant,
  LEASE_MS,
  openFixture,
  POLICY,
  readDelivery,
} from './fixture.ts'

const { maxAgeMs } = POLICY

describe('scheduling', () => {
  let fixture: Fixture

  beforeAll(async () => {
    fixture = await openFixture()
  })

  afterEach(async () => {
    // What one test leaves due, the next one would find.
    await fixture.store.pools.query.query('delete from deliveries')
  })

  afterAll(async () => {
    await fixture[Symbol.asyncDispose]()
  })

  const walk = async (from = WALK_START, pairs = 100, perPair = 10) =>
    await findWaiting(fixture.store, { from, pairs, perPair, maxAgeMs })

  it('finds what is due and waiting, and nothing that is leased, not yet due or done', async () => {
    const due = await insertDelivery(fixture.store, { leased: false })
    await insertDelivery(fixture.store, { leased: true })
    await insertDelivery(fixture.store, { leased: false, dueInMs: 60_000 })
    await insertDelivery(fixture.store, { leased: false, dueInMs: null, status: 'success' })
    const { deliveries, next } = await walk()
    expect(deliveries.map(({ eventUid }) => eventUid)).toEqual([due.eventUid])
    expect(next).toBe(WALK_START)
  })

  it('lets tenants take turns: a backlog of one does not stand before the first of another', async () => {
    const flooded = await insertTenant(fixture.store)
    const destinationUid = await insertDestination(fixture.store, flooded)
    for (let i = 0; i < 30; i++) {
      await insertDelivery(fixture.store, { tenantUid: flooded, destinationUid, leased: false })
    }
    const quiet = await insertDelivery(fixture.store, { leased: false })
    const { deliveries } = await walk(WALK_START, 100, 5)
    expect(deliveries).toHaveLength(6)
    expect(deliveries.slice(0, 2).map(({ tenantUid }) => tenantUid)).toContain(quiet.tenantUid)
  })

  it('walks on from pair to pair until it has seen all', async () => {
    for (let i = 0; i < 7; i++) await insertDelivery(fixture.store, { leased: false })
    const seen = new Set<string>()
    let cursor = WALK_START
    let rounds = 0
    do {
      const round = await walk(cursor, 3)
      for (const { eventUid } of round.deliveries) seen.add(eventUid)
      cursor = round.next
      rounds++
    } while (cursor !== WALK_START)
    expect(seen.size).toBe(7)
    expect(rounds).toBe(3)
  })

  it('claims each delivery for one of many schedulers, with its job complete', async () => {
    const data = Buffer.from('{"n":12345678901234567890,"f":1.10}')
    for (let i = 0; i < 20; i++) await insertDelivery(fixture.store, { leased: false, data })
    const { deliveries } = await walk()
    const claims = await Promise.all(
      Array.from({ length: 4 }, () => claimDeliveries(fixture.store, deliveries, LEASE_MS)),
    )
    const jobs = claims.flat()
    expect(jobs).toHaveLength(20)
    expect(new Set(jobs.map(({ eventUid }) => eventUid)).size).toBe(20)
    expect(jobs[0]).toMatchObject({
      dispatch: 1,
      verify: false,
      queue: 'fresh',
      topic: 'user.created',
      metadata: { k: 'v' },
    })
    expect(jobs[0]?.data?.equals(data)).toBe(true)
    expect((jobs[0]?.leaseEndMs ?? 0) - Date.now()).toBeGreaterThan(LEASE_MS - 10_000)
  })

  it('makes a job by reference when the data is large', async () => {
    const data = Buffer.from(JSON.stringify({ text: 'x'.repeat(70_000) }))
    await insertDelivery(fixture.store, { leased: false, data })
    const { deliveries } = await walk()
    const [job] = await claimDeliveries(fixture.store, deliveries, LEASE_MS)
    expect(job?.data).toBeNull()
  })

  it('claims an ended lease as a loss: to be verified, with twice the lease', async () => {
    const key = await insertDelivery(fixture.store, { dueInMs: -1000, losses: 1 })
    const ended = await findEndedLeases(fixture.store, { limit: 10, graceMs: 0, maxAgeMs })
    expect(ended).toMatchObject([{ eventUid: key.eventUid, leaseEnded: true, losses: 1 }])
    const [job] = await claimDeliveries(fixture.store, ended, LEASE_MS)
    expect(job).toMatchObject({ verify: true, dispatch: 2 })
    expect((job?.leaseEndMs ?? 0) - Date.now()).toBeGreaterThan(4 * LEASE_MS - 10_000)
    expect(await readDelivery(fixture.store, key)).toMatchObject({ losses: 2, leased: true })
  })

  it('claims nothing that was moved on since it was read', async () => {
    await insertDelivery(fixture.store, { leased: false })
    const { deliveries } = await walk()
    expect(await claimDeliveries(fixture.store, deliveries, LEASE_MS)).toHaveLength(1)
    expect(await claimDeliveries(fixture.store, deliveries, LEASE_MS)).toHaveLength(0)
  })

  // Its dispatch is the same: only that it is no longer due tells.
  it('claims nothing whose outcome came in time after all', async () => {
    const key = await insertDelivery(fixture.store, { dueInMs: -1000 })
    const ended = await findEndedLeases(fixture.store, { limit: 10, graceMs: 0, maxAgeMs })
    expect(ended).toHaveLength(1)
    const late = attempted(key, { status: 'failed', code: '500' })
    await writeOutcomes(fixture.store, [late], POLICY)
    const before = await readDelivery(fixture.store, key)
    expect(await claimDeliveries(fixture.store, ended, LEASE_MS)).toEqual([])
    expect(await giveUp(fixture.store, ended, 'lost_too_often')).toBe(0)
    expect(await readDelivery(fixture.store, key)).toEqual(before)
  })

  it('knows what is too old, and ends it as failed, expired', async () => {
    const key = await insertDelivery(fixture.store, { leased: false, openForMs: maxAgeMs + 1000 })
    const { deliveries } = await walk()
    expect(deliveries).toMatchObject([{ isExpired: true }])
    expect(await giveUp(fixture.store, deliveries, 'expired')).toBe(1)
    expect(await readDelivery(fixture.store, key)).toMatchObject({
      status: 'failed',
      reason: 'expired',
      due_at: null,
      leased: false,
    })
  })

  it('reads waiting deliveries by index, however many are out or done', async () => {
    for (let i = 0; i < 50; i++) await insertDelivery(fixture.store, { leased: i > 2 })
    const round: { deliveries: readonly DueDelivery[] } = await walk()
    expect(round.deliveries).toHaveLength(3)
  })
})

import { putBackRedelivered, releaseJobs, takeJobs } from '../../src/index.ts'
import { type Fixture, insertDelivery, LEASE_MS, openFixture, readDelivery } from './fixture.ts'

describe('taking (rule 3)', () => {
  let fixture: Fixture

  beforeAll(async () => {
    fixture = await openFixture()
  })

  afterAll(async () => {
    await fixture[Symbol.asyncDispose]()
  })

  it('gives the row to one of two copies of a job, with a new dispatch and a full lease', async () => {
    const key = await insertDelivery(fixture.store, { dueInMs: 1000 })
    const [first] = await takeJobs(fixture.store, [key], LEASE_MS)
    const [second] = await takeJobs(fixture.store, [key], LEASE_MS)
    expect(first).toMatchObject({ dispatch: 2 })
    expect(first?.leaseEndMs).toBeGreaterThan(Date.now() + LEASE_MS - 10_000)
    expect(second).toBeNull()
  })

  it('gives the row to one of two copies in the same batch', async () => {
    const key = await insertDelivery(fixture.store)
    const taken = await takeJobs(fixture.store, [key, key], LEASE_MS)
    expect(taken.map((win) => win?.dispatch ?? null)).toEqual([2, null])
  })

  it('gives the row to one of many processes that ask at once', async () => {
    const key = await insertDelivery(fixture.store)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => takeJobs(fixture.store, [key], LEASE_MS)),
    )
    expect(answers.flat().filter((win) => win !== null)).toHaveLength(1)
  })

  it('wins nothing for a job whose lease was released', async () => {
    const key = await insertDelivery(fixture.store, { leased: false, dispatch: 1 })
    expect(await takeJobs(fixture.store, [key], LEASE_MS)).toEqual([null])
  })

  it('puts a redelivered job back by shortening its lease, never lengthening it', async () => {
    const long = await insertDelivery(fixture.store, { dueInMs: 100_000 })
    const short = await insertDelivery(fixture.store, { dueInMs: 500 })
    const shortBefore = await readDelivery(fixture.store, short)
    await putBackRedelivered(fixture.store, [long, short], 7000)
    const row = await readDelivery(fixture.store, long)
    expect(row).toMatchObject({ leased: true, dispatch: 1 })
    expect((row.due_at?.getTime() ?? 0) - Date.now()).toBeLessThanOrEqual(7000)
    expect(await readDelivery(fixture.store, short)).toEqual(shortBefore)
  })

  it('releases only the dispatch that it names', async () => {
    const key = await insertDelivery(fixture.store, { dispatch: 3 })
    expect(await releaseJobs(fixture.store, [{ ...key, dispatch: 2 }])).toBe(0)
    expect(await releaseJobs(fixture.store, [key])).toBe(1)
    const row = await readDelivery(fixture.store, key)
    expect(row.leased).toBe(false)
    expect(row.due_at?.getTime()).toBeLessThanOrEqual(Date.now() + 1000)
  })
})

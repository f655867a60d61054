import { startFaultProxy } from '@postrider/testkit'
import { reactionTo, writeOutcomes } from '../../src/index.ts'
import {
  attempted,
  type Fixture,
  insertDelivery,
  openFixture,
  POLICY,
  readAttempts,
  readDelivery,
} from './fixture.ts'

describe('the outcome transaction', () => {
  let fixture: Fixture

  beforeAll(async () => {
    fixture = await openFixture()
  })

  afterAll(async () => {
    await fixture[Symbol.asyncDispose]()
  })

  it('records a success and closes the delivery', async () => {
    const key = await insertDelivery(fixture.store)
    const [written] = await writeOutcomes(fixture.store, [attempted(key)], POLICY)
    expect(written).toMatchObject({ attemptNumber: 1, next: { status: 'success' } })
    expect(await readDelivery(fixture.store, key)).toMatchObject({
      status: 'success',
      due_at: null,
      leased: false,
      attempts: 1,
      tries: 1,
    })
    const [recorded] = await readAttempts(fixture.store, key)
    expect(recorded).toMatchObject({ number: 1, status: 'success', code: '200', dispatch: 1 })
    expect(recorded?.response_body?.toString()).toBe('ok')
  })

  it('schedules the retry of a failure, and shows in the attempt exactly when it is due', async () => {
    const key = await insertDelivery(fixture.store)
    await writeOutcomes(fixture.store, [attempted(key, { status: 'failed', code: '500' })], POLICY)
    const row = await readDelivery(fixture.store, key)
    expect(row).toMatchObject({ status: 'failed', leased: false, attempts: 1, tries: 1 })
    const [recorded] = await readAttempts(fixture.store, key)
    expect(recorded?.next_attempt_at).toEqual(row.due_at)
  })

  // Rule 1.
  it('keeps the attempt of a stale failure after a success, and changes nothing else', async () => {
    const key = await insertDelivery(fixture.store, { dispatch: 2 })
    await writeOutcomes(fixture.store, [attempted(key)], POLICY)
    const stale = { ...key, dispatch: 1 }
    await writeOutcomes(
      fixture.store,
      [attempted(stale, { status: 'failed', code: 'timeout' })],
      POLICY,
    )
    expect(await readDelivery(fixture.store, key)).toMatchObject({
      status: 'success',
      due_at: null,
      attempts: 2,
      tries: 1,
    })
    const attempts = await readAttempts(fixture.store, key)
    expect(attempts.map(({ number, status }) => [number, status])).toEqual([
      [1, 'success'],
      [2, 'failed'],
    ])
    expect(attempts[1]?.next_attempt_at).toBeNull()
  })

  it('lets a stale failure move neither the due time nor the lease of the dispatch under way', async () => {
    const key = await insertDelivery(fixture.store, { dispatch: 2 })
    const before = await readDelivery(fixture.store, key)
    const stale = attempted({ ...key, dispatch: 1 }, { status: 'failed', code: '500' })
    await writeOutcomes(fixture.store, [stale], POLICY)
    expect(await readDelivery(fixture.store, key)).toEqual({ ...before, attempts: 1 })
  })

  it('lets a stale success set success, so that the event is not sent once more', async () => {
    const key = await insertDelivery(fixture.store, { dispatch: 2 })
    await writeOutcomes(fixture.store, [attempted({ ...key, dispatch: 1 })], POLICY)
    expect(await readDelivery(fixture.store, key)).toMatchObject({
      status: 'success',
      due_at: null,
      leased: false,
    })
  })

  it('lets a stale success not answer for a dispatch that was made by hand', async () => {
    const key = await insertDelivery(fixture.store, { dispatch: 2, manual: true })
    await writeOutcomes(fixture.store, [attempted({ ...key, dispatch: 1 })], POLICY)
    expect(await readDelivery(fixture.store, key)).toMatchObject({ leased: true, dispatch: 2 })
  })

  it('ignores an outcome whose lease was released meanwhile, but keeps its attempt', async () => {
    const key = await insertDelivery(fixture.store, { leased: false, dispatch: 1, dueInMs: 5000 })
    const before = await readDelivery(fixture.store, key)
    const failed = attempted(key, { status: 'failed', code: '500' })
    await writeOutcomes(fixture.store, [failed], POLICY)
    expect(await readDelivery(fixture.store, key)).toEqual({ ...before, attempts: 1 })
  })

  // Rule 4.
  it('can be run again with the same batch: every attempt is recorded and counted once', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => insertDelivery(fixture.store)))
    const batch = keys.map((key) => attempted(key, { status: 'failed', code: '500' }))
    await writeOutcomes(fixture.store, batch, POLICY)
    const before = await Promise.all(keys.map((key) => readDelivery(fixture.store, key)))
    await writeOutcomes(fixture.store, batch, POLICY)
    const after = await Promise.all(keys.map((key) => readDelivery(fixture.store, key)))
    expect(after).toEqual(before)
    for (const key of keys) expect(await readAttempts(fixture.store, key)).toHaveLength(1)
  })

  it('survives a COMMIT whose answer was lost: the second run changes nothing', async () => {
    const key = await insertDelivery(fixture.store)
    const { hostname, port } = new URL(fixture.database.url)
    const proxy = await startFaultProxy({ host: hostname, port: Number(port) })
    const through = await openFixtureThrough(proxy.port)
    const batch = [attempted(key, { status: 'failed', code: '500' })]
    // The server commits; the answer never reaches the client.
    const cut = proxy.cutWhen('up', 'commit', { forward: true })
    const lost: unknown = await writeOutcomes(through.store, batch, POLICY).catch((e: unknown) => e)
    expect(reactionTo(lost)).toBe('away')
    await cut
    expect(await readAttempts(fixture.store, key)).toHaveLength(1)
    const before = await readDelivery(fixture.store, key)
    expect(before).toMatchObject({ status: 'failed', attempts: 1, tries: 1 })
    await writeOutcomes(through.store, batch, POLICY)
    expect(await readDelivery(fixture.store, key)).toEqual(before)
    expect(await readAttempts(fixture.store, key)).toHaveLength(1)
    await through.store.close()
    await proxy.stop()
  })

  it('does not deadlock when three writers have the same rows in other orders', async () => {
    const keys = await Promise.all(Array.from({ length: 60 }, () => insertDelivery(fixture.store)))
    const writer = async (seed: number): Promise<void> => {
      for (let round = 0; round < 25; round++) {
        const shuffled = keys.toSorted(
          (a, b) => order(a.eventUid, seed + round) - order(b.eventUid, seed + round),
        )
        await writeOutcomes(
          fixture.store,
          shuffled.map((key) => attempted(key, { status: 'failed', code: '500' })),
          POLICY,
        )
      }
    }
    await Promise.all([writer(1), writer(2), writer(3)])
    for (const key of keys) {
      const attempts = await readAttempts(fixture.store, key)
      expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, i) => i + 1))
      expect(attempts).toHaveLength(75)
    }
  })

  it('keeps a response body with a NUL byte, and the other 199 outcomes of its batch', async () => {
    const keys = await Promise.all(Array.from({ length: 200 }, () => insertDelivery(fixture.store)))
    const odd = Buffer.from([0x61, 0x00, 0xff, 0xfe, 0x62])
    const batch = keys.map((key, i) =>
      i === 77
        ? attempted(key, {
            response: { head: { status: 200, odd: 'a\u0000b\ud800' }, body: odd, cut: false },
          })
        : attempted(key),
    )
    await writeOutcomes(fixture.store, batch, POLICY)
    const rows = await Promise.all(keys.map((key) => readDelivery(fixture.store, key)))
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['success']))
    const guilty = keys[77]
    if (guilty === undefined) throw new Error('no such delivery')
    const [recorded] = await readAttempts(fixture.store, guilty)
    expect(recorded?.response_body).toEqual(odd)
    expect(recorded?.response_head).toEqual({ status: 200, odd: 'a\ufffdb\ufffd' })
  })

  it('goes on with the earlier schedule after a manual attempt', async () => {
    const key = await insertDelivery(fixture.store, {
      manual: true,
      status: 'failed',
      attempts: 1,
      tries: 1,
      resumeInMs: 60_000,
    })
    const failed = { ...attempted(key, { status: 'failed', code: '500' }), manual: true }
    const [written] = await writeOutcomes(fixture.store, [failed], POLICY)
    expect(written?.attemptNumber).toBe(2)
    const row = await readDelivery(fixture.store, key)
    expect(row).toMatchObject({ status: 'failed', tries: 1, attempts: 2, manual: false })
    expect((row.due_at?.getTime() ?? 0) - Date.now()).toBeGreaterThan(50_000)
  })

  it('defers without an attempt, keeping its place in line', async () => {
    const key = await insertDelivery(fixture.store)
    await writeOutcomes(
      fixture.store,
      [{ ...key, manual: false, outcome: { kind: 'deferred', delayMs: 1500 } }],
      POLICY,
    )
    expect(await readDelivery(fixture.store, key)).toMatchObject({
      status: 'pending',
      leased: false,
      attempts: 0,
    })
  })

  async function openFixtureThrough(port: number): Promise<Pick<Fixture, 'store'>> {
    const url = new URL(fixture.database.url)
    url.port = String(port)
    const { openStore } = await import('../../src/index.ts')
    const { silentLog } = await import('@postrider/testkit')
    const store = openStore({
      url: url.href,
      applicationName: 'through the proxy',
      encryptionSecrets: ['a secret that is long enough for a test'],
      log: silentLog,
    })
    return { store }
  }
})

/** A number from a uid and a seed, so that every writer sorts in an order of its own. */
function order(uid: string, seed: number): number {
  let hash = seed
  for (const character of uid) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003
  return hash
}

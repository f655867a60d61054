import { jobBytes, newUid } from '@postrider/common'
import { insertRows, tenantRow, type TenantRow } from '@postrider/testkit'
import { insertPublishBatch, openStore, readPublished, type Store } from '../../src/index.ts'
import { type Fixture, openFixture } from '../delivery/fixture.ts'
import { claimingEvent, hashOf, LEASE_MS, newDelivery, newEvent, OPTIONS } from './new-event.ts'

/** The rows that a publish wrote for an event, times as milliseconds. */
async function readEvents(store: Store, uid: string): Promise<unknown[]> {
  const { rows } = await store.pools.query.query(
    `select id, topic, time, metadata, data, eligible_for_retry, matched_destination_ids,
       received_at::text
     from events where uid = $1`,
    [uid],
  )
  return rows
}

async function readDeliveries(store: Store, eventUid: string): Promise<unknown[]> {
  const { rows } = await store.pools.query.query(
    `select destination_uid, status, reason, leased, dispatch, attempts, job_bytes,
       extract(epoch from due_at - received_at)::float8 * 1000 as due_in_ms,
       waiting_since = received_at and open_since = received_at as opens_at_publish,
       eligible_for_retry, event_time, tenant_uid
     from deliveries where event_uid = $1 order by status, leased desc`,
    [eventUid],
  )
  return rows
}

async function countEvents(store: Store, tenantUid: string): Promise<number> {
  const { rows } = await store.pools.query.query<{ count: number }>(
    'select count(*)::int from events where tenant_uid = $1',
    [tenantUid],
  )
  return rows[0]?.count ?? 0
}

describe('the publish statement', () => {
  let fixture: Fixture
  let store: Store
  let tenant: TenantRow

  beforeAll(async () => {
    fixture = await openFixture()
    store = fixture.store
  })

  afterAll(async () => {
    await fixture[Symbol.asyncDispose]()
  })

  beforeEach(async () => {
    tenant = tenantRow()
    await insertRows(store.pools.query, { tenants: [tenant] })
  })

  it('commits an event as it was published', async () => {
    const event = newEvent({
      tenantUid: tenant.uid,
      topic: 'odd,"topic"\\{}',
      timeMs: Date.UTC(9999, 11, 31, 23, 59, 59, 999),
      metadata: { quoted: 'a "b" \\ {c}, NULL', 'x-1': 'ä🚚' },
      data: Buffer.from('{"n":12345678901234567890,"f":1.10,"u":"\\u00e9é","s":"a\\/b"}'),
      isEligibleForRetry: false,
    })

    const batch = await insertPublishBatch(store, [event], OPTIONS)

    expect(batch.taken.size + batch.orphaned.size).toBe(0)
    expect(await readEvents(store, event.uid)).toEqual([
      {
        id: event.id,
        topic: event.topic,
        time: new Date(event.timeMs),
        metadata: event.metadata,
        data: event.data,
        eligible_for_retry: false,
        matched_destination_ids: [],
        received_at: batch.receivedAt,
      },
    ])
  })

  it('commits a delivery for each destination: leased with a place, due now without, skipped when disabled', async () => {
    const deliveries = [newDelivery('waiting'), newDelivery('disabled'), newDelivery('placed')]
    const event = newEvent({ tenantUid: tenant.uid, data: Buffer.alloc(100, ' '), deliveries })

    const batch = await insertPublishBatch(
      store,
      [newEvent({ tenantUid: tenant.uid, timeMs: 0 }), event],
      OPTIONS,
    )

    const common = {
      opens_at_publish: true,
      attempts: 0,
      job_bytes: jobBytes(100),
      eligible_for_retry: true,
      event_time: new Date(event.timeMs),
      tenant_uid: tenant.uid,
    }
    const pending = { ...common, status: 'pending', reason: null }
    expect(await readDeliveries(store, event.uid)).toEqual([
      {
        ...pending,
        destination_uid: deliveries[2]?.destinationUid,
        leased: true,
        dispatch: 1,
        due_in_ms: LEASE_MS,
      },
      {
        ...pending,
        destination_uid: deliveries[0]?.destinationUid,
        leased: false,
        dispatch: 0,
        due_in_ms: 0,
      },
      {
        ...common,
        destination_uid: deliveries[1]?.destinationUid,
        status: 'skipped',
        reason: 'destination_disabled',
        leased: false,
        dispatch: 0,
        due_in_ms: null,
      },
    ])
    expect(await readEvents(store, event.uid)).toMatchObject([
      { matched_destination_ids: deliveries.map(({ destinationId }) => destinationId) },
    ])
    expect(batch.leaseEndMs - LEASE_MS).toBe(Date.parse(`${batch.receivedAt}:00`))
  })

  it('gives an id to the first publish of it, and tells the next what it stands for', async () => {
    const deliveries = [newDelivery('waiting')]
    const first = claimingEvent({ tenantUid: tenant.uid, id: 'null', deliveries })
    const second = claimingEvent({ tenantUid: tenant.uid, id: 'null', deliveries })
    await insertPublishBatch(store, [first], OPTIONS)

    const batch = await insertPublishBatch(
      store,
      [second, newEvent({ tenantUid: tenant.uid })],
      OPTIONS,
    )

    expect([...batch.taken]).toEqual([second.uid])
    expect(await readEvents(store, second.uid)).toEqual([])
    expect(await readDeliveries(store, second.uid)).toEqual([])
    expect(await countEvents(store, tenant.uid)).toBe(2)
    const keys = [
      { tenantUid: tenant.uid, eventId: 'null' },
      { tenantUid: tenant.uid, eventId: 'another' },
    ]
    expect(await readPublished(store, keys)).toEqual([
      {
        ...keys[0],
        contentHash: hashOf('content'),
        matchedDestinationIds: deliveries.map(({ destinationId }) => destinationId),
      },
    ])
  })

  it('gives an id whose window is over to the next publish', async () => {
    const key = { tenantUid: tenant.uid, eventId: 'again' }
    const event = (content: string) =>
      claimingEvent({ tenantUid: tenant.uid, id: 'again', contentHash: hashOf(content) })
    await insertPublishBatch(store, [event('old')], { ...OPTIONS, windowMs: 0 })
    expect(await readPublished(store, [key])).toEqual([])

    const { taken } = await insertPublishBatch(store, [event('new')], OPTIONS)

    expect(taken.size).toBe(0)
    expect(await readPublished(store, [key])).toMatchObject([{ contentHash: hashOf('new') }])
    expect(await countEvents(store, tenant.uid)).toBe(2)
  })

  it('keeps two tenants with the same event ids apart', async () => {
    const other = tenantRow()
    await insertRows(store.pools.query, { tenants: [other] })
    const events = [tenant, other].map(({ uid }) =>
      claimingEvent({ tenantUid: uid, id: 'same', contentHash: hashOf(uid) }),
    )

    const { taken } = await insertPublishBatch(store, events, OPTIONS)

    expect(taken.size).toBe(0)
    expect(await readPublished(store, [{ tenantUid: other.uid, eventId: 'same' }])).toMatchObject([
      { contentHash: hashOf(other.uid) },
    ])
  })

  it('inserts nothing for a tenant that is deleted or never was, and leaves its ids alone', async () => {
    const deleted = tenantRow({ deletedAt: new Date() })
    await insertRows(store.pools.query, { tenants: [deleted] })
    const deliveries = [newDelivery('waiting')]
    const orphans = [
      claimingEvent({ tenantUid: deleted.uid, id: 'orphan', deliveries }),
      newEvent({ tenantUid: newUid(), deliveries }),
    ]
    const kept = newEvent({ tenantUid: tenant.uid, deliveries })

    const { orphaned, taken } = await insertPublishBatch(store, [...orphans, kept], OPTIONS)

    expect(orphaned).toEqual(new Set(orphans.map(({ uid }) => uid)))
    expect(taken.size).toBe(0)
    expect(await readDeliveries(store, orphans[0]?.uid ?? '')).toEqual([])
    expect(await readDeliveries(store, kept.uid)).toHaveLength(1)
    expect(await readPublished(store, [{ tenantUid: deleted.uid, eventId: 'orphan' }])).toEqual([])
  })

  it('inserts nothing at all when Postgres refuses one of the events', async () => {
    const events = [
      claimingEvent({ tenantUid: tenant.uid, id: 'beside-poison' }),
      newEvent({ tenantUid: tenant.uid, topic: 'not\u0000text' }),
    ]

    await expect(insertPublishBatch(store, events, OPTIONS)).rejects.toMatchObject({
      code: '22021',
    })

    expect(await countEvents(store, tenant.uid)).toBe(0)
    expect(
      await readPublished(store, [{ tenantUid: tenant.uid, eventId: 'beside-poison' }]),
    ).toEqual([])
  })

  it('makes one event of each id when processes publish the same ids at once in random orders, without a deadlock', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `contended-${index}`)
    const processes = Array.from({ length: 3 }, () =>
      openStore({
        url: fixture.database.url,
        applicationName: 'a process of its own',
        encryptionSecrets: ['a secret that is long enough for a test'],
        log: store.log,
      }),
    )
    let inserted = 0

    try {
      // Several rounds with a window of nothing: each id is contended for again and again.
      for (let round = 0; round < 20; round++) {
        const batches = await Promise.all(
          processes.map((process) =>
            insertPublishBatch(
              process,
              shuffled(ids).map((id) =>
                claimingEvent({ tenantUid: tenant.uid, id: `${round}-${id}` }),
              ),
              OPTIONS,
            ),
          ),
        )
        for (const { taken } of batches) inserted += ids.length - taken.size
      }
    } finally {
      await Promise.all(processes.map((process) => process.close()))
    }

    expect(inserted).toBe(20 * ids.length)
    expect(await countEvents(store, tenant.uid)).toBe(20 * ids.length)
  })
})

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

import { newUid } from '@postrider/common'
import { type NewEvent, readPublished } from '@postrider/store'
import { createTestDatabase, type TestDatabase, waitFor } from '@postrider/testkit'
import { insertEvents } from '../../src/publish/insert-events.ts'
import { insertTenant, openService, readStored, type Service } from './publish-fixture.ts'

/** By their place in the batch. */
function isPoison(index: number): boolean {
  return [0, 7, 8, 19].includes(index)
}

const OPTIONS = { windowMs: 86_400_000, leaseMs: 120_000 }

describe('inserting a batch of events', () => {
  let database: TestDatabase
  let service: Service

  beforeEach(async () => {
    database = await createTestDatabase()
    service = openService({ database })
  })

  afterEach(async () => {
    await service[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  it('refuses only the events that Postgres refuses, wherever they stand in the batch', async () => {
    const { tenant } = await insertTenant(service.store)
    const events = Array.from({ length: 20 }, (_, index) =>
      newEvent(tenant.uid, isPoison(index) ? 'not\u0000text' : 'text'),
    )

    const fates = await insertEvents(service.store, events, OPTIONS)

    const kinds = events.map((_, index) => (isPoison(index) ? 'failed' : 'inserted'))
    expect(fates.map(({ kind }) => kind)).toEqual(kinds)
    const { events: stored } = await readStored(service.store, tenant.uid)
    expect(stored.map(({ id }) => id).toSorted()).toEqual(
      events
        .filter((_, index) => !isPoison(index))
        .map(({ id }) => id)
        .toSorted(),
    )
    const poisonKeys = events.filter((_, index) => isPoison(index)).map(keyOf)
    expect(await readPublished(service.store, poisonKeys)).toEqual([])
  })

  it('runs a batch again that was cancelled while it waited for an id', async () => {
    const { tenant } = await insertTenant(service.store)
    const event = newEvent(tenant.uid, 'text')
    const other = await service.store.pools.query.connect()
    try {
      await other.query('begin')
      await other.query(
        `insert into publish_keys
           (tenant_uid, event_id, event_uid, received_at, content_hash, expires_at)
         values ($1, $2, $3, now(), '', 'infinity')`,
        [tenant.uid, event.id, newUid()],
      )
      const inserting = insertEvents(service.store, [event], OPTIONS)
      await waitFor(
        async () => {
          const { rows } = await service.store.pools.query.query<{ cancelled: boolean }>(
            `select pg_cancel_backend(pid) as cancelled from pg_stat_activity
             where wait_event_type = 'Lock' and datname = current_database()`,
          )
          return rows[0]?.cancelled
        },
        { what: 'the batch to wait for the id' },
      )
      await other.query('rollback')

      expect(await inserting).toMatchObject([{ kind: 'inserted' }])
    } finally {
      other.release()
    }
    expect((await readStored(service.store, tenant.uid)).events).toHaveLength(1)
  })

  it('makes the partition of a day that has none', async () => {
    const { tenant } = await insertTenant(service.store)
    const { rows } = await service.store.pools.query.query<{ name: string }>(
      `select relname as name from pg_class
       where relkind = 'r' and relname ~ '^(events|deliveries)_[0-9]{8}$'`,
    )
    expect(rows.length).toBeGreaterThan(0)
    await service.store.pools.query.query(`drop table ${rows.map(({ name }) => name).join()}`)

    const fates = await insertEvents(service.store, [newEvent(tenant.uid, 'text')], OPTIONS)

    expect(fates).toMatchObject([{ kind: 'inserted' }])
    expect((await readStored(service.store, tenant.uid)).events).toHaveLength(1)
  })
})

function newEvent(tenantUid: string, topic: string): NewEvent {
  const uid = newUid()
  return {
    uid,
    tenantUid,
    id: uid,
    contentHash: Buffer.alloc(32),
    topic,
    timeMs: 0,
    metadata: {},
    data: Buffer.from('{}'),
    isEligibleForRetry: true,
    deliveries: [],
  }
}

function keyOf({ tenantUid, id }: NewEvent): { tenantUid: string; eventId: string } {
  return { tenantUid, eventId: id }
}

import {
  deliveryRow,
  destinationRow,
  eventRow,
  insertRows,
  startOfToday,
  tenantRow,
} from '@postrider/testkit'
import {
  deleteExpiredKeys,
  dropExpiredPartitions,
  ensurePartitions,
  reactionTo,
  runMaintenance,
} from '../src/index.ts'
import { type Fixture, openFixture } from './delivery/fixture.ts'

const DAY_MS = 86_400_000
const PARENTS = ['attempts', 'deliveries', 'events']

/** The start of a day, counted from today. */
function day(offset: number): Date {
  return new Date(startOfToday().getTime() + offset * DAY_MS)
}

function suffix(offset: number): string {
  return day(offset).toISOString().slice(0, 10).replaceAll('-', '')
}

describe('day partitions', () => {
  let fixture: Fixture

  beforeEach(async () => {
    fixture = await openFixture()
  })

  afterEach(async () => {
    await fixture[Symbol.asyncDispose]()
  })

  const query = async <R extends object>(sql: string, values: unknown[] = []): Promise<R[]> => {
    const { rows } = await fixture.store.pools.query.query<R>(sql, values)
    return rows
  }
  /** The partitions that there are of a day, attached to their parents. */
  const attached = async (offset: number): Promise<string[]> => {
    const rows = await query<{ parent: string }>(
      `select inhparent::regclass::text as parent from pg_inherits
       where inhrelid::regclass::text like $1 order by 1`,
      [`%\\_${suffix(offset)}`],
    )
    return rows.map(({ parent }) => parent)
  }
  const dropDay = async (offset: number): Promise<void> => {
    for (const parent of PARENTS) await query(`drop table ${parent}_${suffix(offset)}`)
  }
  /** A day as it was when it was today. */
  const makeDay = async (offset: number): Promise<void> => {
    for (const parent of PARENTS) {
      const bounds = `from ('${day(offset).toISOString()}') to ('${day(offset + 1).toISOString()}')`
      await query(
        `create table ${parent}_${suffix(offset)} partition of ${parent} for values ${bounds}`,
      )
    }
  }

  it('are there for today and the seven days after it', async () => {
    for (let offset = 0; offset <= 7; offset++) expect(await attached(offset)).toEqual(PARENTS)
    expect(await attached(8)).toEqual([])
    expect(await ensurePartitions(fixture.store.pools.query)).toBe(0)
  })

  it('are made once where they are missing, by however many processes at once', async () => {
    await dropDay(7)
    await dropDay(3)
    const { publish, work, query: lists } = fixture.store.pools
    const made = await Promise.all(
      [publish, work, lists, publish, work].map((pool) => ensurePartitions(pool)),
    )
    expect(made.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 6])
    expect([await attached(3), await attached(7)]).toEqual([PARENTS, PARENTS])
  })

  it('are known to be what an insert lacks, which succeeds once they are made', async () => {
    const tenant = tenantRow()
    await insertRows(fixture.store.pools.query, { tenants: [tenant] })
    await dropDay(0)
    const events = [eventRow({ tenantUid: tenant.uid })]
    const insert = async (): Promise<void> =>
      await insertRows(fixture.store.pools.query, { events })
    expect(reactionTo(await insert().catch((error: unknown) => error))).toBe('no-partition')
    await ensurePartitions(fixture.store.pools.query)
    await insert()
    expect(await query('select uid from events')).toHaveLength(1)
  })

  it('are attached without waiting for the publishes under way', async () => {
    await dropDay(7)
    const client = await fixture.store.pools.publish.connect()
    try {
      await client.query('begin')
      await client.query(
        `insert into events select now(), $1, $1, 'id', '', now(), '{}', '', true, '{}'`,
        [tenantRow().uid],
      )
      expect(await ensurePartitions(fixture.store.pools.query)).toBe(3)
      await client.query('commit')
    } finally {
      client.release()
    }
    expect(await attached(7)).toEqual(PARENTS)
  })

  it('have the room that deliveries need, and every index of their parent', async () => {
    await dropDay(7)
    await ensurePartitions(fixture.store.pools.query)
    const indexes = await query<{ count: number }>(
      `select count(*)::int from pg_index where indrelid in ('deliveries_${suffix(7)}'::regclass,
         'deliveries_${suffix(1)}'::regclass) group by indrelid`,
    )
    expect(indexes[0]).toEqual(indexes[1])
    expect(
      await query(
        `select reloptions from pg_class where oid = 'deliveries_${suffix(7)}'::regclass`,
      ),
    ).toEqual([{ reloptions: ['fillfactor=70'] }])
  })

  describe('retention', () => {
    it('drops the days behind it, unless a delivery of the day is still open', async () => {
      const tenant = tenantRow()
      const destination = destinationRow({ tenantUid: tenant.uid })
      const offsets = [-40, -32, -31, -30, -1]
      for (const offset of offsets) await makeDay(offset)
      const events = offsets.map((offset) =>
        eventRow({
          tenantUid: tenant.uid,
          receivedAt: new Date(day(offset).getTime() + 3_600_000),
        }),
      )
      await insertRows(fixture.store.pools.query, {
        tenants: [tenant],
        destinations: [destination],
        events,
        deliveries: events.map((event, i) =>
          deliveryRow({
            event,
            destinationUid: destination.uid,
            // Of the day before the last that is kept: a retry is still to come.
            ...(i === 2 ? { status: 'failed', dueAt: day(1) } : {}),
          }),
        ),
      })
      const dropped = await dropExpiredPartitions(fixture.store.pools.query, 30)
      expect(dropped).toEqual(
        [-40, -32].flatMap((offset) =>
          ['events', 'deliveries', 'attempts'].map((parent) => `${parent}_${suffix(offset)}`),
        ),
      )
      expect(await query('select received_at from events order by 1')).toHaveLength(3)

      await query('update deliveries set due_at = null')
      expect(await dropExpiredPartitions(fixture.store.pools.query, 30)).toHaveLength(3)
      expect(await attached(-31)).toEqual([])
      expect(await attached(-30)).toEqual(PARENTS)
    })

    it('deletes expired publish keys, so many at a time', async () => {
      await insertKeys(5, -1000)
      await insertKeys(2, 60_000)
      const { query: pool } = fixture.store.pools
      expect(await deleteExpiredKeys(pool, 3)).toBe(3)
      expect(await deleteExpiredKeys(pool, 3)).toBe(2)
      expect(await deleteExpiredKeys(pool, 3)).toBe(0)
      expect(await query('select event_id from publish_keys')).toHaveLength(2)
    })
  })

  describe('maintenance', () => {
    it('makes what will be needed, drops what is over, and deletes all expired keys', async () => {
      await dropDay(7)
      await makeDay(-31)
      await insertKeys(2500, -1000)
      await runMaintenance(fixture.store, 30)
      expect([await attached(7), await attached(-31)]).toEqual([PARENTS, []])
      expect(await query('select event_id from publish_keys')).toEqual([])
    })

    it('is left to the process whose turn it is', async () => {
      await dropDay(7)
      const client = await fixture.store.pools.work.connect()
      try {
        await client.query('begin')
        await client.query('select pg_advisory_xact_lock(7700000000004)')
        await runMaintenance(fixture.store, 30)
        expect(await attached(7)).toEqual([])
        await client.query('commit')
      } finally {
        client.release()
      }
      await runMaintenance(fixture.store, 30)
      expect(await attached(7)).toEqual(PARENTS)
    })

    it('can be run by all processes at once', async () => {
      await dropDay(7)
      await insertKeys(1500, -1000)
      await Promise.all(Array.from({ length: 3 }, () => runMaintenance(fixture.store, 30)))
      expect(await attached(7)).toEqual(PARENTS)
      expect(await query('select event_id from publish_keys')).toEqual([])
    })
  })

  async function insertKeys(count: number, expiresInMs: number): Promise<void> {
    await query(
      `insert into publish_keys (tenant_uid, event_id, event_uid, received_at, content_hash, expires_at)
       select gen_random_uuid(), 'event ' || i, gen_random_uuid(), now(), '',
         now() + $2 * interval '1 millisecond'
       from generate_series(1, $1) as i`,
      [count, expiresInMs],
    )
  }
})

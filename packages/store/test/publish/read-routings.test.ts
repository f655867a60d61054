import { newUid } from '@postrider/common'
import { destinationRow, insertRows, tenantRow } from '@postrider/testkit'
import { readRoutings, readTenants } from '../../src/index.ts'
import { type Fixture, openFixture } from '../delivery/fixture.ts'

describe('reading where the events of tenants go', () => {
  let fixture: Fixture

  beforeAll(async () => {
    fixture = await openFixture()
  })

  afterAll(async () => {
    await fixture[Symbol.asyncDispose]()
  })

  it('finds the tenants that exist, with the version of their destinations and the time', async () => {
    const { store } = fixture
    // "null" is an id like any other.
    const tenant = tenantRow({ id: 'null' })
    const deleted = tenantRow({ deletedAt: new Date() })
    await insertRows(store.pools.query, { tenants: [tenant, deleted] })

    const { tenants, nowMs } = await readTenants(store, [tenant.id, deleted.id, 'nobody'])

    expect(tenants).toEqual([{ id: 'null', uid: tenant.uid, routingVersion: 1 }])
    // Postgres runs on this machine.
    expect(Math.abs(nowMs - Date.now())).toBeLessThan(10_000)
  })

  it('reads all destinations of a tenant that are not deleted, oldest first', async () => {
    const { store } = fixture
    const [tenant, empty] = [tenantRow(), tenantRow()]
    const filter = { data: { amount: { $gte: 5 } } }
    const first = destinationRow({
      tenantUid: tenant.uid,
      topics: ['user.created', 'null'],
      filter,
    })
    const second = destinationRow({
      tenantUid: tenant.uid,
      createdAt: new Date(),
      disabledAt: new Date(),
    })
    const gone = destinationRow({ tenantUid: tenant.uid, deletedAt: new Date() })
    await insertRows(store.pools.query, { tenants: [tenant, empty], destinations: [first] })
    await insertRows(store.pools.query, { destinations: [second, gone] })

    const routings = await readRoutings(store, [tenant.uid, empty.uid, newUid()])

    expect(routings).toHaveLength(2)
    expect(routings).toContainEqual({ tenantUid: empty.uid, routingVersion: 1, destinations: [] })
    expect(routings).toContainEqual({
      tenantUid: tenant.uid,
      routingVersion: 1,
      destinations: [
        {
          uid: first.uid,
          id: first.id,
          topics: ['user.created', 'null'],
          filter,
          isDisabled: false,
        },
        { uid: second.uid, id: second.id, topics: ['*'], filter: null, isDisabled: true },
      ],
    })
  })
})

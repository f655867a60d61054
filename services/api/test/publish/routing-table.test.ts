import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import { RoutingTable } from '../../src/publish/routing-table.ts'
import { insertTenant, openService, type Service } from './publish-fixture.ts'

describe('the routing table', () => {
  let database: TestDatabase
  let service: Service

  beforeAll(async () => {
    database = await createTestDatabase()
    service = openService({ database })
  })

  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  it('keeps what it compiled as long as the version of the tenant is the same', async () => {
    const table = new RoutingTable(service.store)
    const { tenant } = await insertTenant(service.store, {})
    const read = async () => (await table.read([tenant.id])).byTenantId.get(tenant.id)

    const [first, second] = [await read(), await read()]
    await service.store.pools.query.query(
      'update tenants set routing_version = routing_version + 1 where uid = $1',
      [tenant.uid],
    )
    const third = await read()

    expect(first).toMatchObject({ routingVersion: 1 })
    expect(second).toBe(first)
    expect(third).toMatchObject({ routingVersion: 2 })
  })

  it('forgets what was used longest ago when it grows too heavy, and reads it again when asked', async () => {
    // Room for two tenants without destinations.
    const table = new RoutingTable(service.store, 600)
    const tenants = await Promise.all([1, 2, 3].map(() => insertTenant(service.store)))
    const [a, b, c] = tenants.map(({ tenant }) => tenant.id) as [string, string, string]
    const read = async (id: string) => (await table.read([id])).byTenantId.get(id)

    const [first, other] = [await read(a), await read(b)]
    expect(await read(a)).toBe(first)
    await read(c)

    expect(await read(a)).toBe(first)
    const readAgain = await read(b)
    expect(readAgain).not.toBe(other)
    expect(readAgain).toEqual(other)
  })

  it('does not know tenants that do not exist', async () => {
    const { byTenantId } = await new RoutingTable(service.store).read(['nobody'])

    expect(byTenantId.size).toBe(0)
  })
})

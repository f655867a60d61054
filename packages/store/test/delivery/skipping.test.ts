import { newUid } from '@postrider/common'
import { disableUsedVersion, skipUndeliverable } from '../../src/index.ts'
import {
  type Fixture,
  insertDelivery,
  insertDestination,
  insertTenant,
  openFixture,
  readDelivery,
} from './fixture.ts'

describe('only Postgres can say no (rule 5)', () => {
  let fixture: Fixture

  beforeAll(async () => {
    fixture = await openFixture()
  })

  afterAll(async () => {
    await fixture[Symbol.asyncDispose]()
  })

  const set = async (sql: string, uid: string): Promise<void> => {
    await fixture.store.pools.query.query(sql, [uid])
  }

  it('skips a delivery whose destination is disabled in Postgres, with the reason', async () => {
    const key = await insertDelivery(fixture.store)
    await set('update destinations set disabled_at = now() where uid = $1', key.destinationUid)
    expect(await skipUndeliverable(fixture.store, [key])).toEqual([
      { kind: 'skipped', reason: 'destination_disabled' },
    ])
    expect(await readDelivery(fixture.store, key)).toMatchObject({
      status: 'skipped',
      reason: 'destination_disabled',
      due_at: null,
      leased: false,
    })
  })

  it('does not skip because a cache says so: disabled and enabled again means deliverable', async () => {
    const key = await insertDelivery(fixture.store)
    await set('update destinations set disabled_at = now() where uid = $1', key.destinationUid)
    await set('update destinations set disabled_at = null where uid = $1', key.destinationUid)
    expect(await skipUndeliverable(fixture.store, [key])).toEqual([{ kind: 'deliverable' }])
    expect(await readDelivery(fixture.store, key)).toMatchObject({
      status: 'pending',
      leased: true,
    })
  })

  it('leaves a stale job alone', async () => {
    const key = await insertDelivery(fixture.store, { dispatch: 2 })
    await set('update destinations set disabled_at = now() where uid = $1', key.destinationUid)
    expect(await skipUndeliverable(fixture.store, [{ ...key, dispatch: 1 }])).toEqual([
      { kind: 'stale' },
    ])
    expect(await readDelivery(fixture.store, key)).toMatchObject({ status: 'pending' })
  })

  it('skips the deliveries of a deleted destination, not those of one made again under its id', async () => {
    const tenantUid = await insertTenant(fixture.store)
    const old = await insertDestination(fixture.store, tenantUid, { id: 'orders' })
    const before = await insertDelivery(fixture.store, { tenantUid, destinationUid: old })
    await set('update destinations set deleted_at = now() where uid = $1', old)
    const again = await insertDestination(fixture.store, tenantUid, { id: 'orders' })
    const after = await insertDelivery(fixture.store, { tenantUid, destinationUid: again })
    expect(await skipUndeliverable(fixture.store, [before, after])).toEqual([
      { kind: 'skipped', reason: 'destination_deleted' },
      { kind: 'deliverable' },
    ])
  })

  it('tells two tenants with the same event and destination ids apart', async () => {
    const [one, two] = await Promise.all(
      ['one', 'two'].map(async (id) => {
        const tenantUid = await insertTenant(fixture.store, `${id}-${newUid()}`)
        const destinationUid = await insertDestination(fixture.store, tenantUid, { id: 'same' })
        return await insertDelivery(fixture.store, { tenantUid, destinationUid, eventId: 'same' })
      }),
    )
    if (one === undefined || two === undefined) throw new Error('two deliveries were made')
    await set('update tenants set deleted_at = now() where uid = $1', one.tenantUid)
    expect(await skipUndeliverable(fixture.store, [one, two])).toEqual([
      { kind: 'skipped', reason: 'tenant_deleted' },
      { kind: 'deliverable' },
    ])
    expect(await readDelivery(fixture.store, two)).toMatchObject({ status: 'pending' })
  })

  it('disables only the version of a destination that was used', async () => {
    const { destinationUid } = await insertDelivery(fixture.store)
    await set('update destinations set version = version + 1 where uid = $1', destinationUid)
    expect(await disableUsedVersion(fixture.store, destinationUid, 1)).toBe(false)
    expect(await disableUsedVersion(fixture.store, destinationUid, 2)).toBe(true)
    expect(await disableUsedVersion(fixture.store, destinationUid, 2)).toBe(false)
  })
})

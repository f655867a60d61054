import { oldestDueAgeSeconds } from '../src/index.ts'
import { insertDelivery, insertDestination, insertTenant, openFixture } from './delivery/fixture.ts'

describe('the age of the oldest due delivery', () => {
  it('is 0 when nothing waits', async () => {
    await using fixture = await openFixture()
    await insertDelivery(fixture.store, { dueInMs: null, leased: false, status: 'success' })
    await insertDelivery(fixture.store, { leased: true })
    await expect(oldestDueAgeSeconds(fixture.store)).resolves.toBe(0)
  })

  it('is that of the delivery that waits longest, over all tenants and destinations', async () => {
    await using fixture = await openFixture()
    const { store } = fixture
    for (const ages of [[5, 60], [90, 10], [20]]) {
      const tenantUid = await insertTenant(store)
      for (const age of ages) {
        const destinationUid = await insertDestination(store, tenantUid)
        const due = { tenantUid, destinationUid, leased: false }
        await insertDelivery(store, { ...due, dueInMs: -1000 * age })
        await insertDelivery(store, { ...due, dueInMs: 60_000 })
      }
    }
    const seconds = await oldestDueAgeSeconds(store)
    expect(seconds).toBeGreaterThanOrEqual(90)
    expect(seconds).toBeLessThan(100)
  })
})

import { attemptUidOf } from '@postrider/common'
import { rotateSigningKeys } from '@postrider/store'
import { attemptRow, eventRow, insertRows } from '@postrider/testkit'
import { type TestApi, webhook } from '../open-api.ts'

/** What the examples of the document speak of. */
export const EXAMPLE = {
  tenant: 'acme',
  destination: 'des_orders',
  event: 'evt_order_1',
  attempt: 'att_019aa5f2c0a07c3e8b5d4f6a7b8c9d0e',
}

/** Makes what the examples of the document speak of, afresh: nothing that was done to it is left. */
export async function makeExampleWorld(api: TestApi): Promise<void> {
  const { tenant, destination, event, attempt } = EXAMPLE
  await api.delete(`/tenants/${tenant}`)
  await api.put(`/tenants/${tenant}`, { metadata: { plan: 'pro' } }).expect(201)
  await api
    .post(
      `/tenants/${tenant}/destinations`,
      webhook({ id: destination, topics: ['order.created'] }),
    )
    .expect(201)
  await api
    .post('/publish', {
      id: event,
      tenant_id: tenant,
      topic: 'order.created',
      metadata: { source: 'shop' },
      data: { order: 1, total: 99.5 },
    })
    .expect(202)
  // Whatever the api is set to: keys that are there are published.
  await rotateSigningKeys(api.store, { tenantId: tenant, makesMissing: true })
  const { query: pool } = api.store.pools
  const { rows } = await pool.query<Row>(
    `select e.uid, e.tenant_uid, e.received_at, d.uid as destination_uid
     from tenants t
       join events e on e.tenant_uid = t.uid
       join destinations d on d.tenant_uid = t.uid
     where t.id = $1 and t.deleted_at is null`,
    [tenant],
  )
  const [row] = rows
  const uid = attemptUidOf(attempt)
  if (row === undefined || uid === null) throw new Error('the example is not there')
  await pool.query('delete from attempts where uid = $1', [uid])
  const published = eventRow({
    uid: row.uid,
    tenantUid: row.tenant_uid,
    receivedAt: row.received_at,
  })
  await insertRows(pool, {
    attempts: [attemptRow({ uid, event: published, destinationUid: row.destination_uid })],
  })
}

interface Row {
  readonly uid: string
  readonly tenant_uid: string
  readonly received_at: Date
  readonly destination_uid: string
}

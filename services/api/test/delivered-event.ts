import { rotateSigningKeys } from '@postrider/store'
import {
  type AttemptRow,
  attemptRow,
  deliveryRow,
  type EventRow,
  eventRow,
  insertRows,
} from '@postrider/testkit'
import { makeTenant, type TestApi, webhook } from './open-api.ts'

/** An event of a tenant that reached its destination `good` and not its destination `bad`. */
export interface DeliveredEvent {
  readonly tenant: string
  readonly tenantUid: string
  readonly event: EventRow
  /** To `bad`. */
  readonly failed: AttemptRow
  /** To `good`. */
  readonly succeeded: AttemptRow
}

/** Makes a tenant of its own with a signing key, two destinations and one event that went to both. */
export async function makeDeliveredEvent(
  api: TestApi,
  given: Partial<EventRow> = {},
): Promise<DeliveredEvent> {
  const tenant = await makeTenant(api)
  for (const id of ['good', 'bad']) {
    await api.post(`/tenants/${tenant}/destinations`, webhook({ id })).expect(201)
  }
  await rotateSigningKeys(api.store, { tenantId: tenant, makesMissing: true })
  const { rows } = await api.store.pools.query.query<{ uid: string; tenant_uid: string }>(
    `select d.uid, d.tenant_uid from destinations d join tenants t on t.uid = d.tenant_uid
     where t.id = $1 order by d.created_at, d.uid`,
    [tenant],
  )
  const [good, bad] = rows
  if (good === undefined || bad === undefined) throw new Error('the destinations are not there')
  const tenantUid = good.tenant_uid
  const event = eventRow({
    tenantUid,
    matchedDestinationIds: ['good', 'bad'],
    data: '{"n":12345678901234567890}',
    ...given,
  })
  const failed = attemptRow({ event, destinationUid: bad.uid, status: 'failed' })
  const later = new Date(event.time.getTime() + 1)
  const succeeded = attemptRow({ event, destinationUid: good.uid, time: later })
  await insertRows(api.store.pools.query, {
    events: [event],
    deliveries: [
      deliveryRow({ event, destinationUid: good.uid }),
      deliveryRow({ event, destinationUid: bad.uid, status: 'failed' }),
    ],
    attempts: [failed, succeeded],
  })
  return { tenant, tenantUid, event, failed, succeeded }
}

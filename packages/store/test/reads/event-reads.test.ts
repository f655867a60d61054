import {
  deliveryRow,
  destinationRow,
  eventRow,
  insertRows,
  startOfToday,
  tenantRow,
} from '@postrider/testkit'
import { findEvent, type Store } from '../../src/index.ts'
import { openTestStore } from './lists.ts'

const TOMORROW = new Date(startOfToday().getTime() + 86_400_000)

describe('an event', () => {
  let store: Store & AsyncDisposable

  beforeAll(async () => {
    store = await openTestStore()
  })

  afterAll(async () => {
    await store[Symbol.asyncDispose]()
  })

  it('keeps the bytes of its data', async () => {
    const tenant = tenantRow()
    const data = '{ "n": 12345678901234567890, "f":1.10,"u":"\\u00e9é","s":"a\\/b" }'
    const event = eventRow({ tenantUid: tenant.uid, data })
    await insertRows(store.pools.query, { tenants: [tenant], events: [event] })

    const found = await findEvent(store, { id: event.id, tenantId: tenant.id })

    expect(found).toMatchObject({ kind: 'found', event: { status: 'unmatched' }, deliveries: [] })
    expect(found.kind === 'found' && found.event.data?.toString('utf8')).toBe(data)
  })

  it('says what became of it at each destination, and when the next attempt is due', async () => {
    const tenant = tenantRow()
    const [first, second, third] = ['one', 'two', 'three'].map((id, i) =>
      destinationRow({ tenantUid: tenant.uid, id, createdAt: new Date(i) }),
    )
    const event = eventRow({ tenantUid: tenant.uid })
    const delivery = (uid = ''): { event: typeof event; destinationUid: string } => ({
      event,
      destinationUid: uid,
    })
    await insertRows(store.pools.query, {
      tenants: [tenant],
      destinations: [first, second, third].filter((row) => row !== undefined),
      events: [event],
      deliveries: [
        deliveryRow({ ...delivery(first?.uid), status: 'failed', dueAt: TOMORROW, attempts: 2 }),
        deliveryRow({
          ...delivery(second?.uid),
          status: 'pending',
          dueAt: TOMORROW,
          isLeased: true,
          attempts: 0,
        }),
        deliveryRow({
          ...delivery(third?.uid),
          status: 'skipped',
          reason: 'destination_disabled',
          attempts: 0,
        }),
      ],
    })

    const found = await findEvent(store, { id: event.id, tenantId: null })

    const webhook = { destinationType: 'webhook' }
    expect(found).toMatchObject({ kind: 'found', event: { status: 'failed' } })
    expect(found.kind === 'found' && found.deliveries).toEqual([
      {
        ...webhook,
        destinationId: 'one',
        status: 'failed',
        reason: null,
        attempts: 2,
        nextAttemptAt: TOMORROW,
      },
      {
        ...webhook,
        destinationId: 'two',
        status: 'pending',
        reason: null,
        attempts: 0,
        nextAttemptAt: null,
      },
      {
        ...webhook,
        destinationId: 'three',
        status: 'skipped',
        reason: 'destination_disabled',
        attempts: 0,
        nextAttemptAt: null,
      },
    ])
  })

  it('is the newest of those that had its id in turn', async () => {
    const tenant = tenantRow()
    const event = { tenantUid: tenant.uid, id: 'again' }
    const newer = eventRow({ ...event, receivedAt: TOMORROW, time: startOfToday() })
    await insertRows(store.pools.query, { tenants: [tenant], events: [newer, eventRow(event)] })

    const found = await findEvent(store, { id: 'again', tenantId: tenant.id })

    expect(found).toMatchObject({ kind: 'found', event: { uid: newer.uid } })
  })

  it('cannot be told without its tenant when several tenants have one of its id', async () => {
    const tenants = [tenantRow(), tenantRow(), tenantRow({ deletedAt: new Date() })]
    const events = tenants.map(({ uid }) => eventRow({ tenantUid: uid, id: 'shared' }))
    await insertRows(store.pools.query, { tenants, events })

    const ofSecond = await findEvent(store, { id: 'shared', tenantId: tenants[1]?.id ?? '' })

    expect(await findEvent(store, { id: 'shared', tenantId: null })).toEqual({ kind: 'ambiguous' })
    expect(ofSecond).toMatchObject({ kind: 'found', event: { uid: events[1]?.uid } })
  })

  it('is not there for nobody, for others, and after its tenant was deleted', async () => {
    const [tenant, other] = [tenantRow({ deletedAt: new Date() }), tenantRow()]
    const event = eventRow({ tenantUid: tenant.uid })
    await insertRows(store.pools.query, { tenants: [tenant, other], events: [event] })

    const none = { kind: 'none' }
    expect(await findEvent(store, { id: event.id, tenantId: null })).toEqual(none)
    expect(await findEvent(store, { id: event.id, tenantId: tenant.id })).toEqual(none)
    expect(await findEvent(store, { id: event.id, tenantId: other.id })).toEqual(none)
    expect(await findEvent(store, { id: 'no such event', tenantId: null })).toEqual(none)
  })
})

import * as fc from 'fast-check'
import { type EventStatus, newUid } from '@postrider/common'
import {
  deliveryRow,
  destinationRow,
  type EventRow,
  eventRow,
  insertRows,
  startOfToday,
  tenantRow,
} from '@postrider/testkit'
import { type EventFilter, listEvents, type PageRequest, type Store } from '../../src/index.ts'
import { isListed, modelStatus } from './event-model.ts'
import { ANY_EVENT, openTestStore, walkBack, walkForward } from './lists.ts'
import {
  DESTINATION_IDS,
  EVENT_IDS,
  inOrder,
  settle,
  someTime,
  someWorld,
  TENANT_IDS,
  TOPICS,
  type World,
} from './world.ts'

const someFilter: fc.Arbitrary<EventFilter> = fc.record({
  tenantIds: fc.option(fc.subarray([...TENANT_IDS, 'unknown'])),
  destinationIds: fc.option(fc.subarray([...DESTINATION_IDS, 'unknown'])),
  deliveryStatus: fc.option(fc.constantFrom('pending', 'success', 'failed', 'skipped')),
  topics: fc.option(fc.subarray(TOPICS, { minLength: 1 })),
  ids: fc.option(fc.subarray(EVENT_IDS), { freq: 1 }),
  status: fc.option(fc.constantFrom('pending', 'success', 'failed', 'skipped', 'unmatched')),
  bounds: fc.array(
    fc.record({ operator: fc.constantFrom('gte', 'gt', 'lte', 'lt'), time: someTime }),
    { maxLength: 1 },
  ),
})

const someOrder = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  dir: fc.constantFrom('asc' as const, 'desc' as const),
})

/** What a filter lists, found out the naive way. */
function expected(
  world: World,
  filter: EventFilter,
  dir: 'asc' | 'desc',
): { readonly uid: string; readonly status: EventStatus }[] {
  const listed = world.events.filter((event) => isListed(world, filter, event))
  return inOrder(listed, dir).map((event) => ({
    uid: event.uid,
    status: modelStatus(world, event),
  }))
}

describe('the list of events', () => {
  let store: Store & AsyncDisposable

  beforeAll(async () => {
    store = await openTestStore()
  })

  afterAll(async () => {
    await store[Symbol.asyncDispose]()
  })

  const reader =
    (filter: EventFilter) =>
    (request: PageRequest): ReturnType<typeof listEvents> =>
      listEvents(store, filter, request)

  it('shows what a naive search finds, in order, walked by next and walked back by prev', async () => {
    await fc.assert(
      fc.asyncProperty(someWorld(40), someFilter, someOrder, async (world, filter, order) => {
        await settle(store.pools.query, world)
        const wanted = expected(world, filter, order.dir)

        const pages = await walkForward(reader(filter), order)
        const before = await walkBack(reader(filter), order, pages.at(-1))

        const seen = pages.flatMap(({ items }) => items)
        expect(seen.map(({ uid, status }) => ({ uid, status }))).toEqual(wanted)
        expect(pages.every(({ items }) => items.length <= order.limit)).toBe(true)
        expect(before.flatMap(({ items }) => items)).toEqual(
          pages.slice(0, -1).flatMap(({ items }) => items),
        )
      }),
      { numRuns: 40 },
    )
  })

  it('meets each row exactly once while others are inserted before, behind and beside it', async () => {
    await fc.assert(
      fc.asyncProperty(
        someWorld(30),
        fc.array(someTime, { maxLength: 30 }),
        someOrder,
        async (world, times, order) => {
          await settle(store.pools.query, world)
          const filter = { ...ANY_EVENT, tenantIds: ['a'] }
          const tenantUid = world.tenants[0]?.uid ?? ''
          const late = times.map((time) => eventRow({ tenantUid, time }))
          let inserted = 0

          const pages = await walkForward(reader(filter), order, async () => {
            const batch = late.slice(inserted, (inserted += 4))
            await insertRows(store.pools.query, { events: batch })
          })

          const seen = pages.flatMap(({ items }) => items.map(({ uid }) => uid))
          expect(new Set(seen).size).toBe(seen.length)
          const lateUids = new Set(late.map(({ uid }) => uid))
          expect(seen.filter((uid) => !lateUids.has(uid))).toEqual(
            expected(world, filter, order.dir).map(({ uid }) => uid),
          )
        },
      ),
      { numRuns: 15 },
    )
  })

  describe('with six thousand events in one millisecond', () => {
    const tenant = tenantRow()
    const destination = destinationRow({ tenantUid: tenant.uid })
    const events: EventRow[] = Array.from({ length: 6000 }, (_, i) =>
      eventRow({ tenantUid: tenant.uid, topic: i % 2000 === 1999 ? 'rare' : 'common' }),
    )
    const own = { ...ANY_EVENT, tenantIds: [tenant.id] }

    beforeAll(async () => {
      await insertRows(store.pools.query, {
        tenants: [tenant],
        destinations: [destination],
        events,
      })
      await insertRows(store.pools.query, {
        deliveries: events.map((event) => deliveryRow({ event, destinationUid: destination.uid })),
      })
    })

    it('visits every one once', async () => {
      const pages = await walkForward(reader(own), { limit: 1000, dir: 'desc' })

      expect(pages).toHaveLength(6)
      expect(pages.flatMap(({ items }) => items.map(({ uid }) => uid))).toEqual(
        inOrder(events, 'desc').map(({ uid }) => uid),
      )
    })

    it('reads a budget of entries for a rare filter: a short page, and the walk goes on', async () => {
      const rare = { ...own, topics: ['rare'] }
      const pages = await walkForward(reader(rare), { limit: 100, dir: 'asc' })

      expect(pages.map(({ items }) => items.length)).toEqual([2, 1])
    })

    it('counts what it looks up, and answers empty pages where nothing of a budget matches', async () => {
      const nothing = { ...own, status: 'failed' as const, destinationIds: [destination.id] }
      const pages = await walkForward(reader(nothing), { limit: 100, dir: 'desc' })

      // Each delivery brings the look-up of its event's status: 2 500 of the 6 000 are a budget.
      expect(pages.map(({ items }) => items.length)).toEqual([0, 0, 0])
    })

    it('walks back over pages that the budget cut short', async () => {
      const rare = { ...own, topics: ['rare'] }
      const pages = await walkForward(reader(rare), { limit: 1, dir: 'desc' })

      const before = await walkBack(reader(rare), { limit: 1, dir: 'desc' }, pages.at(-1))

      const uids = (walked: typeof pages): string[] =>
        walked.flatMap(({ items }) => items.map(({ uid }) => uid))
      expect([...uids(before), ...uids(pages.slice(-1))]).toEqual(uids(pages))
    })
  })

  it('cuts a page that would hold too many bytes', async () => {
    const tenant = tenantRow()
    const data = JSON.stringify({ text: 'x'.repeat(1024 * 1024) })
    const events = Array.from({ length: 20 }, () => eventRow({ tenantUid: tenant.uid, data }))
    await insertRows(store.pools.query, { tenants: [tenant], events })

    const own = { ...ANY_EVENT, tenantIds: [tenant.id] }
    const pages = await walkForward(reader(own), { limit: 100, dir: 'desc' })

    expect(pages.map(({ items }) => items.length)).toEqual([15, 5])
  })

  it('gives nothing of a deleted destination to its successor under the same id', async () => {
    const tenant = tenantRow()
    const deleted = { tenantUid: tenant.uid, id: 'reborn', deletedAt: new Date() }
    const predecessor = destinationRow(deleted)
    const gone = destinationRow({ ...deleted, id: 'gone' })
    const successor = destinationRow({ ...deleted, deletedAt: null })
    const event = eventRow({ tenantUid: tenant.uid })
    await insertRows(store.pools.query, {
      tenants: [tenant],
      destinations: [predecessor, gone, successor],
      events: [event],
      deliveries: [predecessor, gone].map(({ uid }) => deliveryRow({ event, destinationUid: uid })),
    })

    const listed = async (id: string): Promise<number> =>
      (
        await listEvents(
          store,
          { ...ANY_EVENT, tenantIds: [tenant.id], destinationIds: [id] },
          { limit: 10, dir: 'desc', from: null },
        )
      ).items.length

    expect(await listed('reborn')).toBe(0)
    expect(await listed('gone')).toBe(1)
  })

  it('finds what more destinations than are walked one by one got', async () => {
    const tenant = tenantRow()
    const destinations = Array.from({ length: 20 }, () =>
      destinationRow({ tenantUid: tenant.uid, id: newUid() }),
    )
    const event = eventRow({ tenantUid: tenant.uid, time: startOfToday() })
    await insertRows(store.pools.query, {
      tenants: [tenant],
      destinations,
      events: [event, eventRow({ tenantUid: tenant.uid })],
      deliveries: destinations.map(({ uid }) => deliveryRow({ event, destinationUid: uid })),
    })

    const page = await listEvents(
      store,
      { ...ANY_EVENT, destinationIds: destinations.map(({ id }) => id) },
      { limit: 10, dir: 'desc', from: null },
    )

    expect(page.items.map(({ uid }) => uid)).toEqual([event.uid])
  })
})

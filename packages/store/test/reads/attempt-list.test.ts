import * as fc from 'fast-check'
import { attemptRow, destinationRow, eventRow, insertRows, tenantRow } from '@postrider/testkit'
import {
  type AttemptFilter,
  type AttemptParts,
  findAttempt,
  listAttempts,
  type PageRequest,
  type Store,
} from '../../src/index.ts'
import { isAnyOf, isWithin } from './event-model.ts'
import { ANY_ATTEMPT, openTestStore, walkBack, walkForward } from './lists.ts'
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

const BARE: AttemptParts = { response: false, event: 'no' }

const someFilter: fc.Arbitrary<AttemptFilter> = fc.record({
  tenantIds: fc.option(fc.subarray([...TENANT_IDS, 'unknown'])),
  destinationIds: fc.option(fc.subarray([...DESTINATION_IDS, 'unknown'])),
  eventIds: fc.option(fc.subarray([...EVENT_IDS, 'unknown'])),
  uids: fc.constant(null),
  topics: fc.option(fc.subarray(TOPICS, { minLength: 1 })),
  status: fc.option(fc.constantFrom('success', 'failed')),
  bounds: fc.array(
    fc.record({ operator: fc.constantFrom('gte', 'gt', 'lte', 'lt'), time: someTime }),
    { maxLength: 1 },
  ),
})

/** The uids in the list of a filter, found out the naive way. */
function expected(world: World, filter: AttemptFilter, dir: 'asc' | 'desc'): string[] {
  const listed = world.attempts.filter((attempt) => {
    const { event } = attempt
    const tenant = world.tenants.find(({ uid }) => uid === event.tenantUid)
    const destination = world.destinations.find(({ uid }) => uid === attempt.destinationUid)
    return (
      tenant?.deletedAt === null &&
      isAnyOf(filter.tenantIds, tenant.id) &&
      isAnyOf(filter.destinationIds, destination?.id ?? '') &&
      isAnyOf(filter.eventIds, event.id) &&
      isAnyOf(filter.uids, attempt.uid) &&
      isAnyOf(filter.topics, event.topic) &&
      (filter.status === null || filter.status === attempt.status) &&
      filter.bounds.every((bound) => isWithin(bound, attempt.time))
    )
  })
  return inOrder(listed, dir).map(({ uid }) => uid)
}

describe('the list of attempts', () => {
  let store: Store & AsyncDisposable

  beforeAll(async () => {
    store = await openTestStore()
  })

  afterAll(async () => {
    await store[Symbol.asyncDispose]()
  })

  it('shows what a naive search finds, in order, walked by next and walked back by prev', async () => {
    const order = fc.record({
      limit: fc.integer({ min: 1, max: 12 }),
      dir: fc.constantFrom('asc' as const, 'desc' as const),
    })
    await fc.assert(
      fc.asyncProperty(
        someWorld(30),
        someFilter,
        order,
        fc.boolean(),
        async (world, given, { limit, dir }, byId) => {
          await settle(store.pools.query, world)
          const everyOther = world.attempts.filter((_, i) => i % 2 === 0).map(({ uid }) => uid)
          const filter = { ...given, uids: byId ? everyOther : null }
          const read = (request: PageRequest): ReturnType<typeof listAttempts> =>
            listAttempts(store, filter, BARE, request)

          const pages = await walkForward(read, { limit, dir })
          const before = await walkBack(read, { limit, dir }, pages.at(-1))

          const uids = (walked: typeof pages): string[] =>
            walked.flatMap(({ items }) => items.map(({ uid }) => uid))
          expect(uids(pages)).toEqual(expected(world, filter, dir))
          expect(uids(before)).toEqual(uids(pages.slice(0, -1)))
        },
      ),
      { numRuns: 40 },
    )
  })

  it('brings the event and the response only when they are asked for', async () => {
    const tenant = tenantRow()
    const destination = destinationRow({ tenantUid: tenant.uid })
    const event = eventRow({ tenantUid: tenant.uid, data: '{"n":1.10}' })
    const response = { head: { status: 500 }, body: Buffer.from([0xff, 0x00, 0x41]), isCut: true }
    const attempt = attemptRow({
      event,
      destinationUid: destination.uid,
      status: 'failed',
      response,
    })
    await insertRows(store.pools.query, {
      tenants: [tenant],
      destinations: [destination],
      events: [event],
      attempts: [attempt],
    })
    const find = (parts: AttemptParts): ReturnType<typeof findAttempt> =>
      findAttempt(store, attempt.uid, parts)

    expect(await find(BARE)).toMatchObject({ response: null, event: null })
    expect(await find({ response: true, event: 'without data' })).toMatchObject({
      tenantId: tenant.id,
      destinationId: destination.id,
      response,
      event: { id: event.id, data: null },
    })
    expect((await find({ response: false, event: 'with data' }))?.event?.data?.toString()).toBe(
      '{"n":1.10}',
    )
  })

  it('cuts a page whose responses would be too many bytes', async () => {
    const tenant = tenantRow()
    const destination = destinationRow({ tenantUid: tenant.uid })
    const event = eventRow({ tenantUid: tenant.uid })
    const response = { head: {}, body: Buffer.alloc(1024 * 1024), isCut: false }
    const attempts = Array.from({ length: 18 }, () =>
      attemptRow({ event, destinationUid: destination.uid, response }),
    )
    await insertRows(store.pools.query, {
      tenants: [tenant],
      destinations: [destination],
      events: [event],
      attempts,
    })
    const list = (parts: AttemptParts): ReturnType<typeof listAttempts> =>
      listAttempts(store, { ...ANY_ATTEMPT, tenantIds: [tenant.id] }, parts, {
        limit: 100,
        dir: 'desc',
        from: null,
      })

    expect((await list(BARE)).items).toHaveLength(18)
    expect((await list({ ...BARE, response: true })).items).toHaveLength(16)
  })

  it('does not find the attempt of a deleted tenant', async () => {
    const tenant = tenantRow({ deletedAt: new Date() })
    const destination = destinationRow({ tenantUid: tenant.uid })
    const event = eventRow({ tenantUid: tenant.uid })
    const attempt = attemptRow({ event, destinationUid: destination.uid })
    await insertRows(store.pools.query, {
      tenants: [tenant],
      destinations: [destination],
      events: [event],
      attempts: [attempt],
    })

    expect(await findAttempt(store, attempt.uid, BARE)).toBeNull()
  })
})

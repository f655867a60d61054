import * as fc from 'fast-check'
import type { Pool } from 'pg'
import type { DeliveryStatus } from '@postrider/common'
import {
  type AttemptRow,
  attemptRow,
  type DeliveryRow,
  deliveryRow,
  type DestinationRow,
  destinationRow,
  type EventRow,
  eventRow,
  insertRows,
  startOfToday,
  type TenantRow,
  tenantRow,
} from '@postrider/testkit'

/**
 * Small worlds for lists: three tenants, one of them deleted, whose destinations and events share
 * their public ids, with events of three days' partitions within a few milliseconds.
 */
export interface World {
  readonly tenants: readonly TenantRow[]
  readonly destinations: readonly DestinationRow[]
  readonly events: readonly EventRow[]
  readonly deliveries: readonly DeliveryRow[]
  readonly attempts: readonly AttemptRow[]
}

export const TENANT_IDS = ['a', 'b', 'deleted']
export const DESTINATION_IDS = ['d1', 'd2', 'd3']
export const EVENT_IDS = ['e1', 'e2', 'e3', 'e4', 'e5']
export const TOPICS = ['user.created', 'user.deleted']
const DELIVERY_STATUSES: readonly DeliveryStatus[] = ['pending', 'success', 'failed', 'skipped']

const DAY_MS = 86_400_000
/** Times of a world are this many milliseconds, so that many rows share one. */
const TIME_SPREAD_MS = 4

/** A time of a world. */
export const someTime = fc
  .nat({ max: TIME_SPREAD_MS - 1 })
  .map((ms) => new Date(startOfToday().getTime() + ms))

const someEvent = fc.record({
  tenant: fc.nat({ max: TENANT_IDS.length - 1 }),
  id: fc.constantFrom(...EVENT_IDS),
  topic: fc.constantFrom(...TOPICS),
  time: someTime,
  day: fc.nat({ max: 2 }),
  /** For each destination of the tenant: null, or its delivery and attempts. */
  deliveries: fc.array(
    fc.option(
      fc.record({
        status: fc.constantFrom(...DELIVERY_STATUSES),
        attempts: fc.array(
          fc.record({
            status: fc.constantFrom('success' as const, 'failed' as const),
            time: someTime,
          }),
          { maxLength: 2 },
        ),
      }),
    ),
    { minLength: DESTINATION_IDS.length, maxLength: DESTINATION_IDS.length },
  ),
})

type SomeEvent = typeof someEvent extends fc.Arbitrary<infer T> ? T : never

export function someWorld(maxEvents: number): fc.Arbitrary<World> {
  return fc.array(someEvent, { maxLength: maxEvents }).map(worldOf)
}

function worldOf(events: readonly SomeEvent[]): World {
  const tenants = TENANT_IDS.map((id) =>
    tenantRow({ id, deletedAt: id === 'deleted' ? new Date() : null }),
  )
  const homes = tenants.map((tenant) => ({
    tenant,
    destinations: DESTINATION_IDS.map((id) => destinationRow({ tenantUid: tenant.uid, id })),
  }))
  const destinations = homes.flatMap((home) => home.destinations)
  const rows = events.flatMap((event) => {
    const home = homes[event.tenant]
    return home === undefined ? [] : [rowsOf(event, home.tenant, home.destinations)]
  })
  return {
    tenants,
    destinations,
    events: rows.map((row) => row.event),
    deliveries: rows.flatMap((row) => row.deliveries),
    attempts: rows.flatMap((row) => row.attempts),
  }
}

function rowsOf(
  some: SomeEvent,
  tenant: TenantRow,
  destinations: readonly DestinationRow[],
): {
  readonly event: EventRow
  readonly deliveries: readonly DeliveryRow[]
  readonly attempts: readonly AttemptRow[]
} {
  const event = eventRow({
    tenantUid: tenant.uid,
    id: some.id,
    topic: some.topic,
    time: some.time,
    receivedAt: new Date(startOfToday().getTime() + some.day * DAY_MS),
  })
  const made = some.deliveries.flatMap((delivery, i) => {
    const destinationUid = destinations[i]?.uid
    if (delivery === null || destinationUid === undefined) return []
    const key = { event, destinationUid }
    return [
      {
        delivery: deliveryRow({ ...key, status: delivery.status }),
        attempts: delivery.attempts.map((attempt, n) =>
          attemptRow({ ...key, ...attempt, number: n + 1 }),
        ),
      },
    ]
  })
  return {
    event,
    deliveries: made.map(({ delivery }) => delivery),
    attempts: made.flatMap(({ attempts }) => attempts),
  }
}

/** Puts a world in place of whatever is in the database. */
export async function settle(pool: Pool, world: World): Promise<void> {
  await pool.query('truncate tenants, destinations, events, deliveries, attempts cascade')
  await insertRows(pool, world)
}

/** By time, then by uid, as the lists are ordered. */
export function inOrder<T extends { readonly time: Date; readonly uid: string }>(
  rows: readonly T[],
  dir: 'asc' | 'desc',
): T[] {
  const ascending = rows.toSorted(
    (a, b) => a.time.getTime() - b.time.getTime() || (a.uid < b.uid ? -1 : 1),
  )
  return dir === 'asc' ? ascending : ascending.toReversed()
}

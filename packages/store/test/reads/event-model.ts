import type { EventStatus } from '@postrider/common'
import type { EventRow } from '@postrider/testkit'
import type { EventFilter, TimeBound } from '../../src/index.ts'
import type { World } from './world.ts'

/** The status of an event, as ARCHITECTURE.md, "A delivery's life" words it. */
export function modelStatus(world: World, event: EventRow): EventStatus {
  const statuses = new Set(
    world.deliveries.filter((delivery) => delivery.event === event).map(({ status }) => status),
  )
  const worst = (['failed', 'pending', 'success', 'skipped'] as const).find((s) => statuses.has(s))
  return worst ?? 'unmatched'
}

/** Whether an event is in the list of a filter, found out the naive way. */
export function isListed(world: World, filter: EventFilter, event: EventRow): boolean {
  const tenant = world.tenants.find(({ uid }) => uid === event.tenantUid)
  return (
    tenant?.deletedAt === null &&
    isAnyOf(filter.tenantIds, tenant.id) &&
    isAnyOf(filter.topics, event.topic) &&
    isAnyOf(filter.ids, event.id) &&
    (filter.destinationIds === null || hasDelivery(world, filter, event)) &&
    (filter.status === null || modelStatus(world, event) === filter.status) &&
    filter.bounds.every((bound) => isWithin(bound, event.time))
  )
}

function hasDelivery(world: World, filter: EventFilter, event: EventRow): boolean {
  return world.deliveries.some((delivery) => {
    const destination = world.destinations.find(({ uid }) => uid === delivery.destinationUid)
    return (
      delivery.event === event &&
      destination !== undefined &&
      isAnyOf(filter.destinationIds, destination.id) &&
      (filter.deliveryStatus === null || delivery.status === filter.deliveryStatus)
    )
  })
}

export function isAnyOf(wanted: readonly string[] | null, value: string): boolean {
  return wanted === null || wanted.includes(value)
}

export function isWithin({ operator, time: bound }: TimeBound, time: Date): boolean {
  switch (operator) {
    case 'gte':
      return time >= bound
    case 'gt':
      return time > bound
    case 'lte':
      return time <= bound
    case 'lt':
      return time < bound
  }
}

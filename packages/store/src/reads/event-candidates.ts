import { type RawBuilder, sql } from 'kysely'
import type { DeliveryStatus, EventStatus } from '@postrider/common'
import { eventStatus } from './event-status.ts'
import type { Candidate } from './page.ts'
import { isVisible, ofTenants } from './scope.ts'
import {
  matchingCandidates,
  MAX_STREAMS,
  merged,
  type TimeBound,
  type Walk,
  within,
} from './walk.ts'

/** Which events a list shows, by uids. Null: whatever it is; all that is given must hold. */
export interface EventSelection {
  readonly tenantUids: readonly string[] | null
  /** The event has a delivery to one of these. */
  readonly destinationUids: readonly string[] | null
  /** And a delivery to one of these has this status. Says nothing without `destinationUids`. */
  readonly deliveryStatus: DeliveryStatus | null
  readonly topics: readonly string[] | null
  readonly ids: readonly string[] | null
  /** The event's own status. */
  readonly status: EventStatus | null
  readonly bounds: readonly TimeBound[]
}

type Sql = RawBuilder<unknown>

/** Where candidates come from: rows of events (with their topic) or of deliveries. */
interface Source {
  readonly kind: 'events' | 'deliveries'
  readonly candidates: Sql
}

/** The keys of a page of events; see `matchingCandidates`. */
export function eventCandidates(
  selection: EventSelection,
  walk: Walk,
  limit: number,
): RawBuilder<Candidate> {
  const { destinationUids, topics, status } = selection
  const { kind, candidates } = sourceOf(selection, walk)
  const conditions = [isVisible(selection.tenantUids)]
  if (topics !== null) {
    const topic = kind === 'events' ? sql`c.topic` : ofEvent('topic')
    conditions.push(sql`${topic} = any(${topics}::text[])`)
  }
  if (destinationUids !== null) {
    conditions.push(hasDelivery(destinationUids, selection.deliveryStatus))
  }
  if (status !== null) conditions.push(sql`${eventStatus('c')} = ${status}`)
  const weight = sql`(
    select octet_length(e.data) from events e where e.uid = c.uid and e.received_at = c.received_at)`
  return matchingCandidates(candidates, conditions, weight, walk, limit)
}

/**
 * The narrowest index that lists events by time: those of some ids; those delivered to a few
 * destinations; those in trouble, or all, of a few tenants; else all there are.
 */
function sourceOf(selection: EventSelection, walk: Walk): Source {
  const { ids, destinationUids, tenantUids, status } = selection
  if (ids !== null) return { kind: 'events', candidates: withIds(ids, tenantUids, walk) }
  if (destinationUids !== null && destinationUids.length <= MAX_STREAMS) {
    const deliveredTo = (uid: string): Sql =>
      deliveriesWhere(sql`d.destination_uid = ${uid}::uuid`, walk)
    return { kind: 'deliveries', candidates: merged(destinationUids, walk, deliveredTo) }
  }
  if (tenantUids === null || tenantUids.length > MAX_STREAMS) {
    return { kind: 'events', candidates: eventsWhere(sql`true`, walk) }
  }
  if (status === 'failed' || status === 'skipped') {
    const troubledOf = (uid: string): Sql =>
      deliveriesWhere(sql`d.tenant_uid = ${uid}::uuid and d.status = ${status}`, walk)
    return { kind: 'deliveries', candidates: merged(tenantUids, walk, troubledOf) }
  }
  const eventsOf = (uid: string): Sql => eventsWhere(sql`e.tenant_uid = ${uid}::uuid`, walk)
  return { kind: 'events', candidates: merged(tenantUids, walk, eventsOf) }
}

function eventsWhere(condition: Sql, walk: Walk): Sql {
  return sql`
    select e.uid, e.received_at, e.time, e.tenant_uid, e.topic from events e
    where ${condition} and ${within(walk, 'e.time', 'e.uid')}`
}

function deliveriesWhere(condition: Sql, walk: Walk): Sql {
  return sql`
    select d.event_uid as uid, d.received_at, d.event_time as time, d.tenant_uid from deliveries d
    where ${condition} and ${within(walk, 'd.event_time', 'd.event_uid')}`
}

/** Few: found by key, then put in order. Apart, or the planner would walk by time to avoid the sort. */
function withIds(ids: readonly string[], tenantUids: readonly string[] | null, walk: Walk): Sql {
  const condition = sql`e.id = any(${ids}::text[]) and ${ofTenants('e', tenantUids)}`
  return sql`
    with found as materialized (${eventsWhere(condition, walk)}) select * from found`
}

function ofEvent(column: 'topic'): Sql {
  return sql`(
    select ${sql.ref(`e.${column}`)} from events e
    where e.uid = c.uid and e.received_at = c.received_at)`
}

function hasDelivery(destinationUids: readonly string[], status: DeliveryStatus | null): Sql {
  return sql`(
    select count(*) > 0 from deliveries d
    where d.event_uid = c.uid and d.received_at = c.received_at
      and d.destination_uid = any(${destinationUids}::uuid[])
      and ${status === null ? sql`true` : sql`d.status = ${status}`})`
}

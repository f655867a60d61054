import { type RawBuilder, sql } from 'kysely'
import type { DeliveryStatus, EventStatus } from '@postrider/common'
import { eventStatus } from './event-status.ts'
import type { Candidate } from './page.ts'
import { isVisible, ofTenants } from './scope.ts'
import {
  matchingCandidates,
  MAX_STREAMS,
  merged,
  type Search,
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

/** Where candidates come from, and what need not be asked of them any more. */
interface Source {
  /** Rows of events, with their topic and weight; or of deliveries, with their status. */
  readonly kind: 'events' | 'deliveries'
  readonly candidates: Sql
  /**
   * What holds for every candidate: it has a delivery to a destination that was asked for, and
   * `delivered once` if there is one such destination, so that the candidate is that delivery; or one
   * of its deliveries has failed, and so has it.
   */
  readonly holds?: 'delivered' | 'delivered once' | 'failed'
}

/** The keys of a page of events; see `matchingCandidates`. */
export function eventCandidates(
  selection: EventSelection,
  walk: Walk,
  limit: number,
): RawBuilder<Candidate> {
  const source = sourceOf(selection, walk)
  const search = {
    candidates: source.candidates,
    ...conditionsOf(selection, source),
    isVisible: isVisible(selection.tenantUids),
    weight: source.kind === 'events' ? sql`c.weight` : ofEvent(sql`octet_length(e.data)`),
  }
  return matchingCandidates(search, walk, limit)
}

/**
 * The narrowest index that lists events by time: those of some ids; those delivered to a few
 * destinations; those in trouble, of a few tenants or of all; all of a few tenants; else all there are.
 */
function sourceOf(selection: EventSelection, walk: Walk): Source {
  const { ids, destinationUids, tenantUids, status } = selection
  if (ids !== null) return { kind: 'events', candidates: withIds(ids, tenantUids, walk) }
  if (destinationUids !== null && destinationUids.length <= MAX_STREAMS) {
    const deliveredTo = (uid: string): Sql =>
      deliveriesWhere(sql`d.destination_uid = ${uid}::uuid`, walk)
    return {
      kind: 'deliveries',
      candidates: merged(destinationUids, walk, deliveredTo),
      holds: destinationUids.length === 1 ? 'delivered once' : 'delivered',
    }
  }
  const isOfFew = tenantUids !== null && tenantUids.length <= MAX_STREAMS
  if (status === 'failed' || status === 'skipped') {
    const troubled = sql`d.status = ${sql.lit(status)}`
    const troubledOf = (uid: string): Sql =>
      deliveriesWhere(sql`d.tenant_uid = ${uid}::uuid and ${troubled}`, walk)
    return {
      kind: 'deliveries',
      candidates: isOfFew ? merged(tenantUids, walk, troubledOf) : deliveriesWhere(troubled, walk),
      ...(status === 'failed' ? { holds: 'failed' } : {}),
    }
  }
  const eventsOf = (uid: string): Sql => eventsWhere(sql`e.tenant_uid = ${uid}::uuid`, walk)
  return {
    kind: 'events',
    candidates: isOfFew ? merged(tenantUids, walk, eventsOf) : eventsWhere(sql`true`, walk),
  }
}

/** What is to be asked of each candidate. */
function conditionsOf(
  { destinationUids, deliveryStatus, topics, status }: EventSelection,
  { kind, holds }: Source,
): Pick<Search, 'conditions' | 'lookups'> {
  const conditions: Sql[] = []
  const lookups: Sql[] = []
  if (topics !== null && kind === 'events') conditions.push(isAnyOf(sql`c.topic`, topics))
  if (holds === 'delivered once') {
    if (deliveryStatus !== null) conditions.push(sql`c.status = ${deliveryStatus}`)
  } else if (destinationUids !== null && (holds !== 'delivered' || deliveryStatus !== null)) {
    lookups.push(hasDelivery(destinationUids, deliveryStatus))
  }
  if (topics !== null && kind === 'deliveries') lookups.push(isAnyOf(ofEvent(sql`e.topic`), topics))
  if (status !== null && holds !== 'failed')
    lookups.push(sql`${eventStatus('c', null)} = ${status}`)
  return { conditions, lookups }
}

function isAnyOf(value: Sql, wanted: readonly string[]): Sql {
  return sql`${value} = any(${wanted}::text[])`
}

function eventsWhere(condition: Sql, walk: Walk): Sql {
  return sql`
    select e.uid, e.received_at, e.time, e.tenant_uid, e.topic, octet_length(e.data) as weight
    from events e
    where ${condition} and ${within(walk, 'e.time', 'e.uid')}`
}

function deliveriesWhere(condition: Sql, walk: Walk): Sql {
  return sql`
    select d.event_uid as uid, d.received_at, d.event_time as time, d.tenant_uid, d.status
    from deliveries d
    where ${condition} and ${within(walk, 'd.event_time', 'd.event_uid')}`
}

/** Few: found by key, then put in order. Apart, or the planner would walk by time to avoid the sort. */
function withIds(ids: readonly string[], tenantUids: readonly string[] | null, walk: Walk): Sql {
  const condition = sql`e.id = any(${ids}::text[]) and ${ofTenants('e', tenantUids)}`
  return sql`
    with found as materialized (${eventsWhere(condition, walk)}) select * from found`
}

function ofEvent(expression: Sql): Sql {
  return sql`(
    select ${expression} from events e
    where e.uid = c.uid and e.received_at = c.received_at)`
}

function hasDelivery(destinationUids: readonly string[], status: DeliveryStatus | null): Sql {
  return sql`(
    select count(*) > 0 from deliveries d
    where d.event_uid = c.uid and d.received_at = c.received_at
      and d.destination_uid = any(${destinationUids}::uuid[])
      and ${status === null ? sql`true` : sql`d.status = ${status}`})`
}

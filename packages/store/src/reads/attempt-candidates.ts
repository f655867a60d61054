import { type RawBuilder, sql } from 'kysely'
import type { Candidate } from './page.ts'
import { isVisible } from './scope.ts'
import {
  matchingCandidates,
  MAX_STREAMS,
  merged,
  type TimeBound,
  type Walk,
  within,
} from './walk.ts'

/** Which attempts a list shows, by uids. Null: whatever it is; all that is given must hold. */
export interface AttemptSelection {
  readonly tenantUids: readonly string[] | null
  readonly destinationUids: readonly string[] | null
  readonly eventUids: readonly string[] | null
  readonly uids: readonly string[] | null
  /** Of the event. */
  readonly topics: readonly string[] | null
  /** The attempt's own. */
  readonly status: 'success' | 'failed' | null
  readonly bounds: readonly TimeBound[]
}

/** Large columns of an attempt and its event, which are read only when they are asked for. */
export interface AttemptParts {
  readonly response: boolean
  /** `without data`: the event but for its data. */
  readonly event: 'no' | 'without data' | 'with data'
}

type Sql = RawBuilder<unknown>

/** The keys of a page of attempts; see `matchingCandidates`. */
export function attemptCandidates(
  selection: AttemptSelection,
  parts: AttemptParts,
  walk: Walk,
  limit: number,
): RawBuilder<Candidate> {
  const { destinationUids, eventUids, topics, status } = selection
  const conditions: Sql[] = []
  if (destinationUids !== null) {
    conditions.push(sql`c.destination_uid = any(${destinationUids}::uuid[])`)
  }
  if (eventUids !== null) conditions.push(sql`c.event_uid = any(${eventUids}::uuid[])`)
  if (status !== null) conditions.push(sql`c.status = ${status}`)
  const search = {
    candidates: sourceOf(selection, walk),
    conditions,
    lookups: topics === null ? [] : [ofEvent(sql`e.topic = any(${topics}::text[])`)],
    isVisible: isVisible(selection.tenantUids),
    weight: weightOf(parts),
  }
  return matchingCandidates(search, walk, limit)
}

/**
 * The narrowest index that lists attempts by time: those of some ids; of a few events, destinations or
 * tenants; else all there are.
 */
function sourceOf(selection: AttemptSelection, walk: Walk): Sql {
  const { uids, eventUids, destinationUids, tenantUids } = selection
  if (uids !== null) {
    const found = attemptsWhere(sql`a.uid = any(${uids}::uuid[])`, walk)
    return sql`with found as materialized (${found}) select * from found`
  }
  const narrowing = [
    { column: 'a.event_uid', values: eventUids },
    { column: 'a.destination_uid', values: destinationUids },
    { column: 'a.tenant_uid', values: tenantUids },
  ]
  for (const { column, values } of narrowing) {
    if (values === null || values.length > MAX_STREAMS) continue
    return merged(values, walk, (uid) =>
      attemptsWhere(sql`${sql.ref(column)} = ${uid}::uuid`, walk),
    )
  }
  return attemptsWhere(sql`true`, walk)
}

function attemptsWhere(condition: Sql, walk: Walk): Sql {
  return sql`
    select a.uid, a.received_at, a.time, a.tenant_uid, a.destination_uid, a.event_uid, a.status
    from attempts a
    where ${condition} and ${within(walk, 'a.time', 'a.uid')}`
}

function ofEvent(expression: Sql): Sql {
  return sql`(
    select ${expression} from events e where e.uid = c.event_uid and e.received_at = c.received_at)`
}

function weightOf(parts: AttemptParts): Sql {
  const weights: Sql[] = [sql`0`]
  if (parts.response) {
    weights.push(sql`coalesce((
      select octet_length(a.response_body) from attempts a
      where a.uid = c.uid and a.received_at = c.received_at), 0)`)
  }
  if (parts.event === 'with data') weights.push(ofEvent(sql`octet_length(e.data)`))
  return sql.join(weights, sql` + `)
}

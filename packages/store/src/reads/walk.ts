import { type RawBuilder, sql } from 'kysely'
import { type Candidate, type ListPosition, PAGE_BUDGET, type PageRequest } from './page.ts'

/** A bound on a list's time. */
export interface TimeBound {
  readonly operator: 'gte' | 'gt' | 'lte' | 'lt'
  readonly time: Date
}

/** Along an index: which way, from where, between which times. */
export interface Walk {
  readonly direction: 'asc' | 'desc'
  readonly from: ListPosition | null
  readonly bounds: readonly TimeBound[]
}

type Sql = RawBuilder<unknown>

/** More values than this are not walked one by one and merged, but filtered out of a wider index. */
export const MAX_STREAMS = 16

export function walkOf(request: PageRequest, bounds: readonly TimeBound[]): Walk {
  const direction = request.from?.walk === 'prev' ? opposite(request.dir) : request.dir
  return { direction, from: request.from?.position ?? null, bounds }
}

/** The condition that keeps a walk within its bounds, in a form that an index on both columns serves. */
export function within(walk: Walk, timeColumn: string, uidColumn: string): Sql {
  const time = sql.ref(timeColumn)
  const { bounds, from } = withOneStart(walk)
  const conditions = bounds.map(
    (bound) => sql`${time} ${sql.raw(OPERATORS[bound.operator])} ${bound.time}`,
  )
  if (from !== null) {
    const sign = (walk.direction === 'asc' ? '>' : '<') + (from.inclusive ? '=' : '')
    conditions.push(
      sql`(${time}, ${sql.ref(uidColumn)}) ${sql.raw(sign)} (${from.time}::timestamptz, ${from.uid}::uuid)`,
    )
  }
  return allOf(conditions)
}

/**
 * Of a position and the bounds on the side where a walk begins, only what lies nearest: the others say
 * nothing more, but Postgres could begin to read at one of them and skip its way to the nearest.
 */
function withOneStart(walk: Walk): Pick<Walk, 'bounds' | 'from'> {
  const { bounds, from, direction } = walk
  if (from === null) return walk
  const [strict, loose] = direction === 'desc' ? ['lt', 'lte'] : ['gt', 'gte']
  const sign = direction === 'desc' ? 1 : -1
  const isNearer = ({ operator, time }: TimeBound): boolean => {
    const beyondMs = sign * (time.getTime() - Date.parse(from.time))
    return operator === strict ? beyondMs <= 0 : beyondMs < 0
  }
  const atEnd = bounds.filter(({ operator }) => operator !== strict && operator !== loose)
  const nearer = bounds.filter((bound) => !atEnd.includes(bound) && isNearer(bound))
  return nearer.length > 0 ? { bounds: [...atEnd, ...nearer], from: null } : { bounds: atEnd, from }
}

/**
 * One stream of candidates for each value: Postgres merges them as it goes and reads of each only what
 * the page needs. Each is ordered for itself: only then does the planner see that it can merge them.
 *
 * @param stream - a select without order, whose index is ordered by time and uid once the value is given
 */
export function merged(values: readonly string[], walk: Walk, stream: (value: string) => Sql): Sql {
  const direction = sql.raw(walk.direction)
  const ordered = values.map(
    (value) => sql`(${stream(value)} order by time ${direction}, uid ${direction})`,
  )
  return sql.join(ordered, sql` union all `)
}

/** True when all hold; true when there are none. */
function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}

/** What a page is looked for in, and what its rows must satisfy. */
export interface Search {
  /** A select of uid, received_at, time and what the conditions and the weight need. */
  readonly candidates: Sql
  /** About `c`, a candidate: what can be told by it alone. */
  readonly conditions: readonly Sql[]
  /**
   * About `c`: what must be looked up for each, by key. Sub-selects in them must be scalar: an EXISTS
   * could be turned into a join that reads all candidates first.
   */
  readonly lookups: readonly Sql[]
  /** About `c`; asked last, and so of few. */
  readonly isVisible: Sql
  /** Bytes that loading `c` brings. */
  readonly weight: Sql
}

/**
 * The candidates that satisfy the conditions, in the order of the walk, one more than a page holds; and
 * the one with which the budget ended. Conditions are asked only until the page is full, one after the
 * other until one does not hold. What is looked up for a candidate counts as read, as the candidate does.
 */
export function matchingCandidates(
  search: Search,
  walk: Walk,
  limit: number,
): RawBuilder<Candidate> {
  const { candidates, conditions, lookups, isVisible, weight } = search
  const budget = sql.lit(Math.floor(PAGE_BUDGET / (1 + lookups.length)))
  const direction = sql.raw(walk.direction)
  // A row that is in several streams comes several times in a row; the first one stands for all.
  const isFirst = sql`c.uid is distinct from c.previous_uid`
  const matches = allOf([isFirst, ...conditions, ...lookups, isVisible])
  // Without its offset the middle select would be dissolved, and the conditions planned and asked twice;
  // without its order the outer one would sort, and so ask the conditions of all.
  return sql<Candidate>`
    select c.uid, c.received_at::text,
      to_char(c.time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as time,
      c.matches, c.n = ${budget} as is_last, (${weight}) as weight
    from (
      select c.*, (${matches}) as matches from (
        select s.*, row_number() over walk as n, lag(s.uid) over walk as previous_uid
        from (${candidates}) s
        window walk as (order by s.time ${direction}, s.uid ${direction})
        order by s.time ${direction}, s.uid ${direction}
        limit ${budget}
      ) c
      order by c.time ${direction}, c.uid ${direction}
      offset 0
    ) c
    where c.matches or c.n = ${budget}
    order by c.time ${direction}, c.uid ${direction}
    limit ${limit + 1}`
}

const OPERATORS = { gte: '>=', gt: '>', lte: '<=', lt: '<' }

function opposite(dir: 'asc' | 'desc'): 'asc' | 'desc' {
  return dir === 'asc' ? 'desc' : 'asc'
}

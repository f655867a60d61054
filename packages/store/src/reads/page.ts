/**
 * Pages of the lists that are ordered by (time, uid), for events and attempts alike (docs/api.md).
 *
 * A page starts at a position, not at an offset, and a position names a time *and* a uid: so whatever
 * is inserted meanwhile, a row is met exactly once, however many share a millisecond.
 */

/** A place in a list, at the row with this time and uid, which need not exist. */
export interface ListPosition {
  /** RFC 3339 in UTC, milliseconds: what events and attempts keep of their time. */
  readonly time: string
  readonly uid: string
  /** The page holds the row at the place, too; usually it begins beyond it. */
  readonly inclusive: boolean
}

export interface PageRequest {
  /** Rows wanted; at least 1. */
  readonly limit: number
  /** The order of the list. */
  readonly dir: 'asc' | 'desc'
  /** Null: from the beginning. `prev` walks towards the beginning; its pages are in list order, too. */
  readonly from: { readonly walk: 'next' | 'prev'; readonly position: ListPosition } | null
}

/** A part of a list. It may hold fewer rows than were wanted, even none, and not be the last one. */
export interface Page<T> {
  readonly items: readonly T[]
  /** Where to go on; null at the end of the list. */
  readonly next: ListPosition | null
  /** Where to go back; null at the beginning. */
  readonly prev: ListPosition | null
}

/** Index entries that one page may read: a rare combination of filters must not read a whole table. */
export const PAGE_BUDGET = 5_000

/** What the rows of one page may weigh together, in bytes; the first one may weigh anything. */
const PAGE_WEIGHT_BYTES = 16 * 1024 * 1024

/** A row of a list before it is loaded: what the walk along the index says about it. */
export interface Candidate {
  readonly uid: string
  /** Postgres' text. */
  readonly received_at: string
  /** As in `ListPosition`. */
  readonly time: string
  /** False for a row that is only here to say how far the walk came. */
  readonly matches: boolean
  /** The budget ended with it. */
  readonly is_last: boolean
  /** Bytes that loading it brings, roughly. */
  readonly weight: number
}

/** The page without rows, of a list in which nothing can be. */
export const EMPTY_PAGE: Page<never> = { items: [], next: null, prev: null }

/**
 * Makes a page of what a walk found.
 *
 * @param walked - in the order of the walk; one row more than wanted, if there are so many
 */
export function cutPage<T extends Candidate>(
  walked: readonly T[],
  request: PageRequest,
  maxWeightBytes: number = PAGE_WEIGHT_BYTES,
): Page<T> {
  const matching = walked.filter((row) => row.matches)
  const kept = lightEnough(matching.slice(0, request.limit), maxWeightBytes)
  const stoppedAt = kept.length < matching.length ? kept.at(-1) : walked.find((row) => row.is_last)
  const onwards = stoppedAt === undefined ? null : beyond(stoppedAt)
  const { from } = request
  if (from === null) return { items: kept, next: onwards, prev: null }
  // Whoever comes from a position can go back to it, even when nothing was found from there on.
  const [first] = kept
  const back =
    first === undefined ? { ...from.position, inclusive: !from.position.inclusive } : beyond(first)
  return from.walk === 'next'
    ? { items: kept, next: onwards, prev: back }
    : { items: kept.toReversed(), next: back, prev: onwards }
}

function lightEnough<T extends Candidate>(
  rows: readonly T[],
  maxWeightBytes: number,
): readonly T[] {
  let weight = 0
  const end = rows.findIndex((row, i) => (weight += row.weight) > maxWeightBytes && i > 0)
  return end === -1 ? rows : rows.slice(0, end)
}

function beyond({ time, uid }: Candidate): ListPosition {
  return { time, uid, inclusive: false }
}

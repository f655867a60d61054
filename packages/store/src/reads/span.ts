import { type RawBuilder, sql } from 'kysely'

/** A stretch of `received_at`, both ends included, as Postgres' text. */
export interface Span {
  readonly from: string
  readonly to: string
}

/** The stretch in which rows lie that are about to be read by key; there is at least one. */
export function spanOf(keys: readonly { readonly received_at: string }[]): Span {
  // In UTC and of one form, so that texts are in the order of their times.
  const sorted = keys.map((key) => key.received_at).toSorted()
  return { from: sorted[0] ?? '', to: sorted.at(-1) ?? '' }
}

/**
 * The condition that a `received_at` lies in a stretch. It says nothing that a join by key does not
 * say, but is known before the statement runs: the planner then looks at a partition or two instead of
 * at one for each day that is kept.
 */
export function inSpan(column: string, span: Span | null): RawBuilder<unknown> {
  return span === null
    ? sql`true`
    : sql`${sql.ref(column)} between ${span.from}::timestamptz and ${span.to}::timestamptz`
}

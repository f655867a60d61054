import type { DispatchKey } from '@postrider/common'
import { plainArray } from '../arrays.ts'

/** The parameters $1 to $4 of a statement that names deliveries and the dispatch it acts on. */
export function dispatchKeyParameters(
  keys: readonly DispatchKey[],
): [string, string, string, string] {
  return [
    plainArray(keys.map((key) => key.eventUid)),
    plainArray(keys.map((key) => key.destinationUid)),
    timeArray(keys.map((key) => key.receivedAt)),
    plainArray(keys.map((key) => key.dispatch)),
  ]
}

/** Postgres' own text of times; it has a space in it, so that each needs its quotes. */
export function timeArray(times: readonly string[]): string {
  return times.length === 0 ? '{}' : `{"${times.join('","')}"}`
}

/**
 * The rows named by `dispatchKeyParameters`, as `k (event_uid, destination_uid, received_at,
 * dispatch, i)`; `i` counts from 1 in the order given.
 */
export const KEYS = `unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::int[])
  with ordinality as k (event_uid, destination_uid, received_at, dispatch, i)`

/** Joins a table aliased `d` that has a delivery's key to another that has it. */
export function sameDelivery(d: string, other: string): string {
  return `${d}.event_uid = ${other}.event_uid and ${d}.destination_uid = ${other}.destination_uid and ${d}.received_at = ${other}.received_at`
}

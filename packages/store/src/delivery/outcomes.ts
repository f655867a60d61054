import {
  cleanText,
  decide,
  type Decision,
  type DeliveryState,
  type DeliveryStatus,
  type JobOutcome,
  type OutcomePolicy,
} from '@postrider/common'
import type { PoolClient } from 'pg'
import { packBytes, plainArray, textArray } from '../arrays.ts'
import { RAW_TYPES } from '../pools.ts'
import type { Store } from '../store.ts'
import { inTransaction } from '../transaction.ts'
import { dispatchKeyParameters, KEYS, sameDelivery } from './keys.ts'

/** What was decided for an outcome, for the log line and the metrics. */
export interface WrittenOutcome {
  /** Null when the outcome was stale, or its delivery is gone. */
  readonly next: Decision['next']
  /** The attempt's number; null when none was recorded. */
  readonly attemptNumber: number | null
}

/**
 * The outcome transaction (rule 4): writes the outcomes of a batch of jobs.
 *
 * Guarantees:
 * - At most one outcome per delivery may be in a batch; the caller sees to it.
 * - Rows are locked in the order of their key before anything is written, so that batches that meet
 *   the same rows in another order wait for each other instead of deadlocking.
 * - Every attempt is recorded once, however often the batch is run: its uid was made when the send
 *   ended. Only outcomes whose attempt was recorded by this run change their delivery, so that a batch
 *   whose COMMIT answer was lost can be run again.
 * - What an outcome leads to is decided by `decide` on the locked row; a stale outcome keeps its
 *   attempt and changes nothing else, but that a stale success may still set `success` (rule 1).
 *
 * Delays are durations here and become times in SQL, by Postgres' clock.
 *
 * @param random - numbers in [0, 1), for the jitter of retries
 * @returns for each outcome, in order, what was decided
 */
export async function writeOutcomes(
  store: Store,
  outcomes: readonly JobOutcome[],
  policy: OutcomePolicy,
  random: () => number = Math.random,
): Promise<WrittenOutcome[]> {
  return await inTransaction(store.pools.work, async (client) => {
    const states = await lockDeliveries(client, outcomes)
    const written: WrittenOutcome[] = []
    const writes: Write[] = []
    outcomes.forEach((job, index) => {
      const state = states[index] ?? null
      if (state === null) {
        written.push({ next: null, attemptNumber: null })
        return
      }
      const decision = decide(state, job, policy, random())
      const attemptNumber = decision.attempt === null ? null : state.attempts + 1
      written.push({ next: decision.next, attemptNumber })
      if (decision.attempt !== null || decision.next !== null) {
        writes.push({ job, decision })
      }
    })
    if (writes.length > 0) await write(client, writes)
    return written
  })
}

interface Write {
  readonly job: JobOutcome
  readonly decision: Decision
}

interface StateRow {
  readonly i: number
  readonly status: DeliveryStatus
  readonly dispatch: number
  readonly leased: boolean
  readonly attempts: number
  readonly tries: number
  readonly faults: number
  readonly manual: boolean
  readonly eligible_for_retry: boolean
  readonly resume_in_ms: number | null
  readonly open_for_ms: number
}

async function lockDeliveries(
  client: PoolClient,
  outcomes: readonly JobOutcome[],
): Promise<(DeliveryState | null)[]> {
  const { rows } = await client.query<StateRow>({
    name: 'lock-deliveries',
    text: LOCK_DELIVERIES,
    values: dispatchKeyParameters(outcomes),
    types: RAW_TYPES,
  })
  const states: (DeliveryState | null)[] = outcomes.map(() => null)
  for (const row of rows) {
    states[row.i - 1] = {
      status: row.status,
      dispatch: row.dispatch,
      leased: row.leased,
      attempts: row.attempts,
      tries: row.tries,
      faults: row.faults,
      manual: row.manual,
      eligibleForRetry: row.eligible_for_retry,
      resumeInMs: row.resume_in_ms,
      openForMs: row.open_for_ms,
    }
  }
  return states
}

const LOCK_DELIVERIES = `
  select k.i::int, d.status, d.dispatch, d.leased, d.attempts, d.tries, d.faults, d.manual,
    d.eligible_for_retry,
    (extract(epoch from d.resume_at - now()) * 1000)::float8 as resume_in_ms,
    (extract(epoch from now() - d.open_since) * 1000)::float8 as open_for_ms
  from ${KEYS}
  join deliveries d on ${sameDelivery('d', 'k')}
  order by d.event_uid, d.destination_uid
  for update of d`

async function write(client: PoolClient, writes: readonly Write[]): Promise<void> {
  const attempts = writes.map(({ decision }) => decision.attempt)
  const nexts = writes.map(({ decision }) => decision.next)
  const bodies = packBytes(attempts.map((attempt) => attempt?.response?.body ?? null))
  await client.query({
    name: 'write-outcomes',
    text: WRITE_OUTCOMES,
    values: [
      ...dispatchKeyParameters(writes.map(({ job }) => job)),
      plainArray(writes.map(({ job }) => job.tenantUid)),
      plainArray(attempts.map((attempt) => attempt?.uid ?? null)),
      plainArray(attempts.map((attempt) => attempt?.status ?? null)),
      textArray(attempts.map((attempt) => attempt?.code ?? null)),
      plainArray(attempts.map((attempt) => attempt?.timeMs ?? null)),
      plainArray(attempts.map((attempt) => attempt?.durationMs ?? null)),
      textArray(attempts.map((attempt) => cleanJson(attempt?.response?.head ?? null))),
      bodies.bytes,
      bodies.starts,
      bodies.lengths,
      plainArray(attempts.map((attempt) => attempt?.response?.cut ?? false)),
      plainArray(writes.map(({ job }) => job.manual)),
      plainArray(nexts.map((next) => next?.status ?? null)),
      plainArray(nexts.map((next) => next?.reason ?? null)),
      plainArray(nexts.map((next) => next?.dueInMs ?? null)),
      plainArray(nexts.map((next) => next?.tries ?? null)),
      plainArray(nexts.map((next) => next?.faults ?? null)),
    ],
    types: RAW_TYPES,
  })
}

/** JSON that Postgres takes: what a receiver sent may hold what its text type refuses. */
function cleanJson(value: Readonly<Record<string, unknown>> | null): string | null {
  if (value === null) return null
  const text = JSON.stringify(value)
  if (!text.includes(String.raw`\u`)) return text
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'string' ? cleanText(inner) : inner,
  )
}

// `next_status` null: the outcome is stale, only the numbering of attempts moves on.
// `attempt_uid` null: nothing was sent (a deferral, a fault of ours).
const WRITE_OUTCOMES = `
  with outcome as (
    select *, date_trunc('milliseconds', now()) + due_in_ms * interval '1 millisecond' as next_due_at
    from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::int[], $5::uuid[], $6::uuid[],
      $7::text[], $8::text[], $9::float8[], $10::float8[], $11::jsonb[], $13::int[], $14::int[],
      $15::boolean[], $16::boolean[], $17::text[], $18::text[], $19::float8[], $20::int[], $21::int[])
      as o (event_uid, destination_uid, received_at, dispatch, tenant_uid, attempt_uid,
        attempt_status, code, time_ms, duration_ms, response_head, body_start, body_length,
        response_cut, manual, next_status, next_reason, due_in_ms, next_tries, next_faults)
  ), recorded as (
    insert into attempts (received_at, uid, event_uid, destination_uid, tenant_uid, number, dispatch,
      status, code, time, duration_ms, manual, next_attempt_at, response_head, response_body,
      response_cut)
    select o.received_at, o.attempt_uid, o.event_uid, o.destination_uid, o.tenant_uid,
      d.attempts + 1, o.dispatch, o.attempt_status, o.code,
      date_trunc('milliseconds', to_timestamp(o.time_ms / 1000)), o.duration_ms::int, o.manual,
      o.next_due_at, o.response_head,
      substring($12::bytea from o.body_start for o.body_length), o.response_cut
    from outcome o
    join deliveries d on ${sameDelivery('d', 'o')}
    where o.attempt_uid is not null
    on conflict do nothing
    returning uid
  )
  update deliveries d
  set attempts = d.attempts + (o.attempt_uid is not null)::int,
      status = coalesce(o.next_status, d.status),
      reason = case when o.next_status is null then d.reason else o.next_reason end,
      tries = coalesce(o.next_tries, d.tries),
      faults = coalesce(o.next_faults, d.faults),
      losses = case when o.next_status is null then d.losses else 0 end,
      due_at = case when o.next_status is null then d.due_at else o.next_due_at end,
      leased = d.leased and o.next_status is null,
      manual = d.manual and (o.next_status is null or o.attempt_uid is null),
      resume_at = case when o.next_status is null or o.attempt_uid is null then d.resume_at end,
      waiting_since = case
        when o.next_status is null or o.attempt_uid is null then d.waiting_since
        else coalesce(o.next_due_at, d.waiting_since)
      end
  from outcome o
  where ${sameDelivery('d', 'o')}
    and (o.attempt_uid is null or o.attempt_uid in (select uid from recorded))`

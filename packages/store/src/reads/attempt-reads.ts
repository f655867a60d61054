import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'
import type { Store } from '../store.ts'
import type { AttemptParts } from './attempt-candidates.ts'
import { type EventView, readEvents } from './event-reads.ts'
import type { Candidate } from './page.ts'
import { readInSnapshot } from './snapshot.ts'
import { inSpan, spanOf } from './span.ts'

/** An attempt as it is shown. */
export interface AttemptView {
  readonly uid: string
  readonly tenantId: string
  readonly eventId: string
  readonly destinationUid: string
  readonly destinationId: string
  readonly destinationType: string
  readonly number: number
  readonly status: 'success' | 'failed'
  readonly code: string
  readonly time: Date
  readonly durationMs: number
  readonly isManual: boolean
  /** As planned when the attempt had failed; null when no other was to come. */
  readonly nextAttemptAt: Date | null
  /** What the receiver answered; null when it did not, or when it was not asked for. */
  readonly response: AttemptResponseView | null
  /** Null when it was not asked for. */
  readonly event: EventView | null
}

export interface AttemptResponseView {
  readonly head: Readonly<Record<string, unknown>>
  readonly body: Buffer
  /** The body was longer. */
  readonly isCut: boolean
}

/** An attempt by its uid, of a living tenant; null when there is none. */
export async function findAttempt(
  store: Store,
  uid: string,
  parts: AttemptParts,
): Promise<AttemptView | null> {
  return await readInSnapshot(store, async (db) => {
    const { rows } = await sql<AttemptKey>`
      select a.uid, a.received_at::text from attempts a
      join tenants t on t.uid = a.tenant_uid and t.deleted_at is null
      where a.uid = ${uid}::uuid`.execute(db)
    const [attempt] = await readAttempts(db, rows, parts)
    return attempt ?? null
  })
}

type AttemptKey = Pick<Candidate, 'uid' | 'received_at'>

interface AttemptRow extends Omit<AttemptView, 'response' | 'event'> {
  readonly eventUid: string
  readonly receivedAt: string
  readonly head: Readonly<Record<string, unknown>> | null
  readonly body: Buffer | null
  readonly isCut: boolean
}

/** The attempts with these keys, in their order. */
export async function readAttempts(
  db: Kysely<Schema>,
  keys: readonly AttemptKey[],
  parts: AttemptParts,
): Promise<AttemptView[]> {
  if (keys.length === 0) return []
  const span = spanOf(keys)
  const { rows } = await sql<AttemptRow>`
    select a.uid, t.id as "tenantId", a.event_uid as "eventUid", e.id as "eventId",
      a.received_at::text as "receivedAt", a.destination_uid as "destinationUid",
      n.id as "destinationId", n.type as "destinationType", a.number, a.status, a.code, a.time,
      a.duration_ms as "durationMs", a.manual as "isManual", a.next_attempt_at as "nextAttemptAt",
      ${parts.response ? sql`a.response_head` : sql`null::jsonb`} as head,
      ${parts.response ? sql`a.response_body` : sql`null::bytea`} as body, a.response_cut as "isCut"
    from unnest(
      ${keys.map(({ uid }) => uid)}::uuid[], ${keys.map((key) => key.received_at)}::timestamptz[]
    ) with ordinality as key (uid, received_at, place)
    join attempts a on a.uid = key.uid and a.received_at = key.received_at
      and ${inSpan('a.received_at', span)}
    join events e on e.uid = a.event_uid and e.received_at = a.received_at
      and ${inSpan('e.received_at', span)}
    join destinations n on n.uid = a.destination_uid
    join tenants t on t.uid = a.tenant_uid
    order by key.place`.execute(db)
  const events = await eventsOf(db, rows, parts)
  return rows.map((row) => attemptView(row, events.get(row.eventUid) ?? null))
}

/** Each event once, however many attempts it has on the page. */
async function eventsOf(
  db: Kysely<Schema>,
  rows: readonly AttemptRow[],
  parts: AttemptParts,
): Promise<ReadonlyMap<string, EventView>> {
  if (parts.event === 'no') return new Map()
  const keys = new Map(
    rows.map((row) => [row.eventUid, { uid: row.eventUid, received_at: row.receivedAt }]),
  )
  const events = await readEvents(db, [...keys.values()], { data: parts.event === 'with data' })
  return new Map(events.map((event) => [event.uid, event]))
}

function attemptView(row: AttemptRow, event: EventView | null): AttemptView {
  const { eventUid: _eventUid, receivedAt: _receivedAt, head, body, isCut, ...attempt } = row
  const response = head === null ? null : { head, body: body ?? Buffer.alloc(0), isCut }
  return { ...attempt, response, event }
}

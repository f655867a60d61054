import {
  type AttemptResult,
  type DispatchKey,
  type JobOutcome,
  jobBytes,
  newUid,
  type OutcomePolicy,
} from '@postrider/common'
import { createTestDatabase, silentLog, type TestDatabase } from '@postrider/testkit'
import { openStore, type Store } from '../../src/index.ts'

export const POLICY: OutcomePolicy = {
  retry: { kind: 'schedule', delaysMs: [1000, 2000, 3000] },
  maxAgeMs: 7 * 86_400_000,
}

export const LEASE_MS = 120_000

/** A store on a database of its own; closed and dropped when disposed. */
export interface Fixture extends AsyncDisposable {
  readonly store: Store
  readonly database: TestDatabase
}

export async function openFixture(url?: (real: string) => string): Promise<Fixture> {
  const database = await createTestDatabase()
  const store = openStore({
    url: url?.(database.url) ?? database.url,
    applicationName: 'store tests',
    encryptionSecrets: ['a secret that is long enough for a test'],
    log: silentLog,
  })
  return {
    store,
    database,
    [Symbol.asyncDispose]: async () => {
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** What a test cares about in a delivery's row. */
export interface DeliveryRow {
  readonly status: string
  readonly reason: string | null
  readonly due_at: Date | null
  readonly leased: boolean
  readonly dispatch: number
  readonly attempts: number
  readonly tries: number
  readonly faults: number
  readonly losses: number
  readonly manual: boolean
}

export interface DeliveryOptions {
  readonly tenantUid?: string
  readonly destinationUid?: string
  readonly eventId?: string
  readonly leased?: boolean
  readonly dispatch?: number
  /** From now; negative: in the past. Null: nothing more to do. (Default: a full lease, or now) */
  readonly dueInMs?: number | null
  readonly status?: string
  readonly attempts?: number
  readonly tries?: number
  readonly losses?: number
  readonly manual?: boolean
  readonly resumeInMs?: number
  readonly openForMs?: number
  readonly data?: Buffer
}

export async function insertTenant(store: Store, id = newUid()): Promise<string> {
  const uid = newUid()
  await store.pools.query.query('insert into tenants (uid, id) values ($1, $2)', [uid, id])
  return uid
}

export async function insertDestination(
  store: Store,
  tenantUid: string,
  { id = newUid(), isDisabled = false }: { id?: string; isDisabled?: boolean } = {},
): Promise<string> {
  const uid = newUid()
  await store.pools.query.query(
    `insert into destinations (uid, tenant_uid, id, type, topics, config, credentials, disabled_at)
     values ($1, $2, $3, 'webhook', '{*}', '{"url":"http://127.0.0.1:1/"}', $4, case when $5 then now() end)`,
    [uid, tenantUid, id, store.cipher.encrypt({ secret: 'whsec_x' }, uid), isDisabled],
  )
  return uid
}

/** An event and one delivery of it; by default its job is out under dispatch 1. */
export async function insertDelivery(
  store: Store,
  options: DeliveryOptions = {},
): Promise<DispatchKey & { tenantUid: string }> {
  const tenantUid = options.tenantUid ?? (await insertTenant(store))
  const destinationUid = options.destinationUid ?? (await insertDestination(store, tenantUid))
  const eventUid = newUid()
  const leased = options.leased ?? true
  const dispatch = options.dispatch ?? (leased ? 1 : 0)
  const data = options.data ?? Buffer.from('{"hello":"world"}')
  const dueInMs = options.dueInMs === undefined ? (leased ? LEASE_MS : 0) : options.dueInMs
  const { rows } = await store.pools.query.query<{ received_at: string }>(
    `with event as (
       insert into events (received_at, uid, tenant_uid, id, topic, time, metadata, data,
         eligible_for_retry, matched_destination_ids)
       values (date_trunc('milliseconds', now()), $1, $2, $3, 'user.created',
         date_trunc('milliseconds', now()), '{"k":"v"}', $4, true, '{}')
       returning received_at, time)
     insert into deliveries (received_at, event_uid, destination_uid, tenant_uid, event_time, status,
       due_at, leased, dispatch, waiting_since, open_since, resume_at, attempts, tries, losses, manual,
       eligible_for_retry, job_bytes)
     select received_at, $1, $5, $2, time, $6, now() + $7::float8 * interval '1 millisecond', $8, $9,
       least(now(), now() + $7::float8 * interval '1 millisecond'),
       now() - $10::float8 * interval '1 millisecond',
       now() + $11::float8 * interval '1 millisecond', $12, $13, $14, $15, true, $16
     from event returning received_at::text`,
    [
      eventUid,
      tenantUid,
      options.eventId ?? newUid(),
      data,
      destinationUid,
      options.status ?? 'pending',
      dueInMs,
      leased,
      dispatch,
      options.openForMs ?? 0,
      options.resumeInMs ?? null,
      options.attempts ?? 0,
      options.tries ?? 0,
      options.losses ?? 0,
      options.manual ?? false,
      jobBytes(data.length),
    ],
  )
  const receivedAt = rows[0]?.received_at ?? ''
  return { eventUid, destinationUid, receivedAt, dispatch, tenantUid }
}

export async function readDelivery(store: Store, key: DispatchKey): Promise<DeliveryRow> {
  const { rows } = await store.pools.query.query<DeliveryRow>(
    `select status, reason, due_at, leased, dispatch, attempts, tries, faults, losses, manual
     from deliveries where event_uid = $1 and destination_uid = $2`,
    [key.eventUid, key.destinationUid],
  )
  const [row] = rows
  if (row === undefined) throw new Error('no such delivery')
  return row
}

export interface AttemptRow {
  readonly number: number
  readonly status: string
  readonly code: string
  readonly dispatch: number
  readonly next_attempt_at: Date | null
  readonly response_head: unknown
  readonly response_body: Buffer | null
}

export async function readAttempts(store: Store, key: DispatchKey): Promise<AttemptRow[]> {
  const { rows } = await store.pools.query.query<AttemptRow>(
    `select number, status, code, dispatch, next_attempt_at, response_head, response_body
     from attempts where event_uid = $1 and destination_uid = $2 order by number`,
    [key.eventUid, key.destinationUid],
  )
  return rows
}

function attempt(overrides: Partial<AttemptResult> = {}): AttemptResult {
  return {
    uid: newUid(),
    status: 'success',
    code: '200',
    timeMs: Date.now(),
    durationMs: 12,
    response: { head: { status: 200 }, body: Buffer.from('ok'), cut: false },
    ...overrides,
  }
}

/** The outcome of a send of this dispatch. */
export function attempted(
  key: DispatchKey & { tenantUid: string },
  overrides: Partial<AttemptResult> = {},
): JobOutcome {
  return {
    ...key,
    manual: false,
    outcome: {
      kind: 'attempted',
      attempt: attempt(overrides),
      retryAfterMs: null,
      disableVersion: null,
    },
  }
}

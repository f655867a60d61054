import { InProcessJobQueue, type JobQueue } from '@postrider/broker'
import type { Job } from '@postrider/common'
import { readSettings } from '@postrider/config'
import { createRegistry } from '@postrider/destinations'
import { InProcessState } from '@postrider/state'
import { openStore, type Store } from '@postrider/store'
import {
  type DestinationRow,
  destinationRow,
  insertRows,
  silentLog,
  type TenantRow,
  tenantRow,
  type TestDatabase,
} from '@postrider/testkit'
import request, { type Test } from 'supertest'
import { type Api, createApi } from '../../src/index.ts'

const API_KEY = 'a-key-for-tests-only'

export interface ServiceOptions {
  readonly database: TestDatabase
  /** Where the service finds Postgres. Default: the database itself. */
  readonly postgresUrl?: string
  readonly env?: Readonly<Record<string, string>>
  /** Default: an in-process queue that nobody consumes. */
  readonly jobs?: JobQueue
}

/** The real api on a database, with in-process jobs and state; stopped when disposed. */
export interface Service extends AsyncDisposable {
  readonly api: Api
  readonly store: Store
  readonly jobs: JobQueue
  readonly state: InProcessState
  /** Publishes; the body may be JSON text, to be sent as it is. */
  publish(body: object | string): Test
  /** Publishes to a service that listens. */
  publishTo(port: number, body: object): Test
  /** Sends to a path under the base path. */
  send(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Test
}

export function openService(options: ServiceOptions): Service {
  const { config, secrets } = readSettings(
    {
      API_HOST: '127.0.0.1',
      API_PORT: '0',
      API_KEY,
      API_JWT_SECRET: 'a secret of at least thirty-two characters',
      AES_ENCRYPTION_SECRET: 'another one of at least thirty-two characters',
      ...options.env,
    },
    { mode: 'standalone' },
  )
  const log = silentLog
  const store = openStore({
    url: options.postgresUrl ?? options.database.url,
    applicationName: 'publish tests',
    encryptionSecrets: secrets.encryptionSecrets,
    log,
  })
  const state = new InProcessState({ limits: config.runway, log })
  const jobs = options.jobs ?? new InProcessJobQueue({ log })
  const registry = createRegistry({ ...config.destinations, version: '0.0.0', log })
  const api = createApi({ config, secrets, store, jobs, state, registry, log })
  const send = (
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object | string,
  ): Test => {
    const verb = method.toLowerCase() as 'post' | 'patch' | 'delete'
    const asked = request(api.app)[verb](`/api/v1${path}`).set('authorization', `Bearer ${API_KEY}`)
    if (body === undefined) return asked
    return asked
      .set('content-type', 'application/json')
      .send(typeof body === 'string' ? body : JSON.stringify(body))
  }
  return {
    api,
    store,
    jobs,
    state,
    publish: (body) => send('POST', '/publish', body),
    publishTo: (port, body) =>
      request(`http://127.0.0.1:${port}`)
        .post('/api/v1/publish')
        .set('authorization', `Bearer ${API_KEY}`)
        .send(body),
    send,
    [Symbol.asyncDispose]: async () => {
      await api.stop()
      await jobs.stop()
      await state.stop()
      await store.close()
    },
  }
}

/** Takes first jobs out of the queue as they come; the answer grows. */
export async function collectJobs(jobs: JobQueue): Promise<readonly Job[]> {
  const collected: Job[] = []
  await jobs.consume({
    queue: 'fresh',
    prefetch: 1,
    onJob: (received) => {
      collected.push(received.job)
      received.ack()
    },
  })
  return collected
}

/** A tenant with destinations that differ from the default in what is given. */
export async function insertTenant(
  store: Store,
  ...destinations: readonly Partial<DestinationRow>[]
): Promise<{ readonly tenant: TenantRow; readonly destinations: readonly DestinationRow[] }> {
  const tenant = tenantRow()
  const rows = destinations.map((given) => destinationRow({ ...given, tenantUid: tenant.uid }))
  await insertRows(store.pools.query, { tenants: [tenant], destinations: rows })
  return { tenant, destinations: rows }
}

export interface StoredDelivery {
  readonly event_uid: string
  readonly destination_uid: string
  readonly status: string
  readonly reason: string | null
  readonly leased: boolean
  readonly dispatch: number
  readonly is_due: boolean | null
}

/** What is stored of a tenant's events, oldest first. */
export async function readStored(
  store: Store,
  tenantUid: string,
): Promise<{
  readonly events: readonly StoredEvent[]
  readonly deliveries: readonly StoredDelivery[]
}> {
  const events = await store.pools.query.query<StoredEvent>(
    `select id, topic, time, metadata, convert_from(data, 'UTF8') as data, eligible_for_retry,
       matched_destination_ids, received_at
     from events where tenant_uid = $1 order by received_at, uid`,
    [tenantUid],
  )
  const deliveries = await store.pools.query.query<StoredDelivery>(
    `select event_uid, destination_uid, status, reason, leased, dispatch, due_at <= now() as is_due
     from deliveries where tenant_uid = $1 order by received_at, event_uid, destination_uid`,
    [tenantUid],
  )
  return { events: events.rows, deliveries: deliveries.rows }
}

interface StoredEvent {
  readonly id: string
  readonly topic: string
  readonly time: Date
  readonly metadata: Readonly<Record<string, string>>
  readonly data: string
  readonly eligible_for_retry: boolean
  readonly matched_destination_ids: readonly string[]
  readonly received_at: Date
}

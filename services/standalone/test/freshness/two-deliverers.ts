import { readSettings } from '@postrider/config'
import type { RedisServer } from '@postrider/servers'
import { openStore, readClockMs, type Store } from '@postrider/store'
import {
  createTestDatabase,
  privateRedis,
  type Receiver,
  silentLog,
  startReceiver,
  testVhost,
  waitFor,
} from '@postrider/testkit'
import { Client } from '../client.ts'
import { startProcess } from '../processes.ts'
import { API_KEY, testEnvironment } from '../settings.ts'
import { type Recording, type Signing, startRecordedDeliverer } from './recorded-deliverer.ts'

const DELIVERERS = [0, 1]
const DEADLINE_MS = 60_000

const LOAD_SETTINGS = {
  // Few connections: a receiver that shares its event loop with all else accepts one in each turn of it.
  DESTINATION_MAX_IN_FLIGHT: '8',
  // What fails just before a change is tried again when it must be known.
  RETRY_SCHEDULE: '6,6,6',
}

export interface Receivers {
  readonly here: Receiver
  readonly elsewhere: Receiver
  /** Answers everything with 500. */
  readonly failing: Receiver
}

interface Parts {
  readonly client: Client
  readonly redis: RedisServer
  readonly receivers: Receivers
  readonly signings: readonly Signing[]
  readonly store: Store
  readonly stops: readonly (() => Promise<unknown>)[]
}

/**
 * The distributed mode: an api, two deliverers whose signings are recorded, a Redis to kill, and some who
 * receive.
 */
export class TwoDeliverers implements AsyncDisposable {
  readonly #parts: Parts

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  get client(): Client {
    return this.#parts.client
  }

  get redis(): RedisServer {
    return this.#parts.redis
  }

  get receivers(): Receivers {
    return this.#parts.receivers
  }

  /** Of both deliverers, each at the number that its request bears. */
  get signings(): readonly Signing[] {
    return this.#parts.signings
  }

  static async start(): Promise<TwoDeliverers> {
    const stops: (() => Promise<unknown>)[] = []
    try {
      const database = await createTestDatabase()
      stops.push(async () => database[Symbol.asyncDispose]())
      const vhost = await testVhost()
      stops.push(async () => vhost[Symbol.asyncDispose]())
      const redis = await privateRedis()
      stops.push(async () => redis[Symbol.asyncDispose]())
      const env = testEnvironment({
        POSTGRES_URL: database.url,
        RABBITMQ_URL: vhost.url,
        REDIS_URL: redis.url,
        ...LOAD_SETTINGS,
      })
      const settings = readSettings(env, { mode: 'delivery' })
      const store = openStore({
        url: database.url,
        applicationName: 'freshness tests',
        encryptionSecrets: settings.secrets.encryptionSecrets,
        log: silentLog,
      })
      stops.push(() => store.close())
      const recording: Recording = { signings: [], nowMs: await readClock(store) }
      for (const number of DELIVERERS) {
        const deliverer = await startRecordedDeliverer(settings, number, recording)
        stops.push(() => deliverer.stop())
      }
      const api = await startProcess('api', env)
      stops.push(() => api.stop())
      const receivers = {
        here: await startReceiver(),
        elsewhere: await startReceiver(),
        failing: await startReceiver({ answer: { status: 500 } }),
      }
      // First, so that no deliverer waits for an answer when it stops.
      stops.push(() => Promise.all(Object.values(receivers).map((receiver) => receiver.stop())))
      const client = new Client(api.url, API_KEY)
      return new TwoDeliverers({
        client,
        redis,
        receivers,
        signings: recording.signings,
        store,
        stops,
      })
    } catch (error) {
      for (const stop of stops.toReversed()) await stop()
      throw error
    }
  }

  /** Resolves when both have signed something later than this, Unix milliseconds by Postgres' clock. */
  async signedAfter(timeMs: number): Promise<void> {
    const isOver = (number: number): boolean =>
      (this.signings.findLast(({ deliverer }) => deliverer === number)?.atMs ?? -Infinity) > timeMs
    await waitFor(() => DELIVERERS.every(isOver), {
      what: 'both deliverers to sign something later',
      deadlineMs: DEADLINE_MS,
    })
  }

  /** Resolves when no delivery is open any more. */
  async settled(): Promise<void> {
    const query = 'select from deliveries where due_at is not null limit 1'
    await waitFor(async () => (await this.#parts.store.pools.query.query(query)).rowCount === 0, {
      what: 'every delivery to have ended',
      deadlineMs: DEADLINE_MS,
    })
  }

  /** The events that a destination was not sent because it was disabled. */
  async skippedFor(destinationId: string): Promise<ReadonlySet<string>> {
    const { rows } = await this.#parts.store.pools.query.query<{ id: string }>(
      `select e.id from deliveries v
         join events e on e.uid = v.event_uid and e.received_at = v.received_at
         join destinations d on d.uid = v.destination_uid
       where d.id = $1 and v.status = 'skipped' and v.reason = 'destination_disabled'`,
      [destinationId],
    )
    return new Set(rows.map(({ id }) => id))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#parts.stops.toReversed()) await stop()
  }
}

/** Postgres' clock without asking it each time, never behind it: what is timed by it is not flattered. */
async function readClock(store: Store): Promise<() => number> {
  await readClockMs(store) // The next one need not connect first.
  const askedAt = performance.now()
  const offsetMs = (await readClockMs(store)) - askedAt
  return () => performance.now() + offsetMs
}

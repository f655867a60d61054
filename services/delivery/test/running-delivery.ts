import { InProcessJobQueue, type JobQueue } from '@postrider/broker'
import { type Log, type LogFields, VERSION } from '@postrider/common'
import { type Config, readSettings } from '@postrider/config'
import { createRegistry } from '@postrider/destinations'
import { InProcessState, type SharedState } from '@postrider/state'
import { openStore } from '@postrider/store'
import { waitFor } from '@postrider/testkit'
import { createDelivery, type Delivery } from '../src/index.ts'
import { ENCRYPTION_SECRET, LEASE_MS, type World } from './world.ts'

/** One line of a log. */
export interface LogLine extends LogFields {
  readonly level: keyof Log
  readonly message: string
}

/** A log that tests can read. */
export class LogBook implements Log {
  readonly lines: LogLine[] = []

  error(message: string, fields?: LogFields): void {
    this.lines.push({ ...fields, level: 'error', message })
  }

  warn(message: string, fields?: LogFields): void {
    this.lines.push({ ...fields, level: 'warn', message })
  }

  info(message: string, fields?: LogFields): void {
    this.lines.push({ ...fields, level: 'info', message })
  }

  debug(message: string, fields?: LogFields): void {
    this.lines.push({ ...fields, level: 'debug', message })
  }

  find(message: string): LogLine | undefined {
    return this.lines.find((line) => line.message === message)
  }

  async waitFor(message: string): Promise<LogLine> {
    return await waitFor(() => this.find(message), { what: `the log to say “${message}”` })
  }
}

/** The configuration of a deliverer that is quick to give up, with whatever a test sets besides. */
export function testConfig(env: Readonly<Record<string, string>> = {}): Config {
  const { config } = readSettings(
    {
      DELIVERY_TIMEOUT_SECONDS: '1',
      OUTCOME_GRACE_SECONDS: '0.5',
      LEASE_SECONDS: String(LEASE_MS / 1000),
      RETRY_SCHEDULE: '60',
      STOP_TIMEOUT_SECONDS: '10',
      DESTINATIONS_ALLOWED_NETWORKS: '127.0.0.0/8',
      API_KEY: 'a-key-for-tests-only',
      API_JWT_SECRET: ENCRYPTION_SECRET,
      AES_ENCRYPTION_SECRET: ENCRYPTION_SECRET,
      ...env,
    },
    { mode: 'standalone' },
  )
  return config
}

export interface DeliveryOptions {
  /** Default: one within the process, which the deliverer then owns. */
  readonly jobs?: JobQueue
  /** Default: one within the process, of its own. */
  readonly state?: SharedState
  readonly env?: Readonly<Record<string, string>>
  /** Where its own connections to Postgres go, such as a fault proxy. */
  readonly port?: number
  readonly graceAfterOutageMs?: number
}

/** A deliverer put together as `src/distributed.ts` does it, over the world of a test. */
export interface RunningDelivery {
  readonly delivery: Delivery
  readonly state: SharedState
  readonly log: LogBook
  /** Waits for the job lock, then delivers. */
  start(signal?: AbortSignal): Promise<void>
  /** Stops it and what it was put together from. Idempotent. */
  stop(): Promise<void>
}

/** Puts a deliverer together and starts it. The world stops it at the latest. */
export async function startDelivery(
  world: World,
  options: DeliveryOptions = {},
): Promise<RunningDelivery> {
  const running = openDelivery(world, options)
  await running.start()
  return running
}

/** Puts a deliverer together without starting it. The world stops it at the latest. */
export function openDelivery(world: World, options: DeliveryOptions = {}): RunningDelivery {
  const config = testConfig(options.env)
  const log = new LogBook()
  const url = new URL(world.database.url)
  if (options.port !== undefined) url.port = String(options.port)
  const postgresUrl = url.href
  const store = openStore({
    url: postgresUrl,
    applicationName: 'delivery under test',
    encryptionSecrets: [ENCRYPTION_SECRET],
    log,
  })
  const jobs = options.jobs ?? new InProcessJobQueue({ log })
  const state = options.state ?? new InProcessState({ limits: config.runway, log })
  const registry = createRegistry({
    ...config.destinations,
    version: VERSION,
    connectTimeoutMs: config.delivery.timeoutMs,
    log,
  })
  const delivery = createDelivery({
    config,
    postgresUrl,
    store,
    jobs,
    ownsJobs: options.jobs === undefined,
    state,
    typeOf: (type) => registry.get(type),
    log,
    ...(options.graceAfterOutageMs === undefined
      ? {}
      : { graceAfterOutageMs: options.graceAfterOutageMs }),
  })
  const running = {
    delivery,
    state,
    log,
    start: (signal = new AbortController().signal) => delivery.start(signal),
    stop: async () => {
      await delivery.stop()
      if (options.jobs === undefined) await jobs.stop()
      if (options.state === undefined) await state.stop()
      await store.close()
    },
  }
  world.own(running)
  return running
}

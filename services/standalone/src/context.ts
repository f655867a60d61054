import { createApi } from '@postrider/api'
import { InProcessJobQueue } from '@postrider/broker'
import { type Log, VERSION } from '@postrider/common'
import type { Settings } from '@postrider/config'
import { createDelivery } from '@postrider/delivery'
import { createRegistry } from '@postrider/destinations'
import { InProcessState } from '@postrider/state'
import { migrate, openStore } from '@postrider/store'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import { refuseTakenPort } from './refuse-taken-port.ts'

/** The whole service in one process. */
export interface Standalone {
  /** Where the API answers, without a trailing slash. */
  readonly url: string
  /** Stops taking requests, ends what is under way, then its own Postgres. Idempotent. */
  stop(): Promise<void>
}

export interface StandaloneOptions {
  readonly settings: Settings
  readonly log: Log
  /** Gives up starting. */
  readonly signal: AbortSignal
  /** Tells what the start is doing. */
  readonly progress: (step: string) => void
}

/**
 * Starts api and delivery on in-process jobs and state: on a Postgres of its own in the data
 * directory, or on the one that POSTGRES_URL names. What was started is stopped again when a later
 * step fails.
 */
export async function startStandalone(options: StandaloneOptions): Promise<Standalone> {
  const { settings, log, signal, progress } = options
  const { config, secrets, urls } = settings
  const stops: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).toReversed()) await end()
  }
  try {
    // First, because it refuses settings that cannot be, for which nothing needs to be there.
    const registry = createRegistry({
      ...config.destinations,
      webhookProxyUrl: urls.webhookProxy,
      connectTimeoutMs: config.delivery.timeoutMs,
      version: VERSION,
      log,
    })
    await refuseTakenPort(config.api.host, config.api.port)
    let embedded: EmbeddedPostgres | null = null
    if (urls.postgres === null) {
      progress('starting PostgreSQL in the data directory')
      const started = await startEmbeddedPostgres(config.dataDir)
      stops.push(() => started.stop())
      embedded = started
    }
    const postgresUrl = embedded?.url ?? urls.postgres ?? ''
    const store = openStore({
      url: postgresUrl,
      applicationName: 'postrider standalone',
      encryptionSecrets: secrets.encryptionSecrets,
      log,
    })
    stops.push(() => store.close())
    progress('bringing the database schema up to date')
    await migrate(store.pools.query)

    const jobs = new InProcessJobQueue({ log })
    stops.push(() => jobs.stop())
    const state = new InProcessState({ limits: config.runway, log })
    stops.push(() => state.stop())

    const delivery = createDelivery({
      config,
      postgresUrl,
      store,
      jobs,
      ownsJobs: true,
      state,
      typeOf: (type) => registry.get(type),
      log,
    })
    stops.push(() => delivery.stop())
    progress('taking the job lock')
    if (embedded === null) await delivery.start(signal)
    else await embedded.claim((patience) => delivery.start(patience), signal)

    const api = createApi({ config, secrets, store, jobs, state, registry, log })
    stops.push(() => api.stop())
    const { port } = await api.start()
    let stopping: Promise<void> | null = null
    return { url: urlOf(config.api.host, port), stop: () => (stopping ??= stop()) }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A URL for callers on this machine: who listens on every address is reached over loopback. */
function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (host === '::') return `http://[::1]:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

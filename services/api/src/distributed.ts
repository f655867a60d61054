import { RabbitMqJobQueue } from '@postrider/broker'
import { type Log, VERSION } from '@postrider/common'
import type { Settings } from '@postrider/config'
import { createRegistry } from '@postrider/destinations'
import { RedisState } from '@postrider/state'
import { checkSchema, ensurePartitions, openStore } from '@postrider/store'
import { createApi } from './context.ts'

/** An api process over Postgres, RabbitMQ and Redis. */
export interface ApiProcess {
  readonly port: number
  /** Idempotent. */
  stop(): Promise<void>
}

/**
 * Starts an api of the distributed mode. Only Postgres has to be there: what is published while the
 * broker is away is delivered when it is back.
 *
 * @throws {SchemaMismatchError} When the schema does not serve this code
 */
export async function startDistributed(settings: Settings, log: Log): Promise<ApiProcess> {
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
    const store = openStore({
      url: urls.postgres ?? '',
      applicationName: 'postrider api',
      encryptionSecrets: secrets.encryptionSecrets,
      log,
    })
    stops.push(() => store.close())
    await checkSchema(store.pools.query)
    await ensurePartitions(store.pools.query)
    const jobs = new RabbitMqJobQueue({ url: urls.rabbitmq ?? '', log })
    stops.push(() => jobs.stop())
    const state = new RedisState({ url: urls.redis ?? '', limits: config.runway, log })
    stops.push(() => state.stop())
    const api = createApi({ config, secrets, store, jobs, state, registry, log })
    stops.push(() => api.stop())
    const { port } = await api.start()
    log.info('listening', { host: config.api.host, port })
    let stopping: Promise<void> | null = null
    return { port, stop: () => (stopping ??= stop()) }
  } catch (error) {
    await stop()
    throw error
  }
}

import { RabbitMqJobQueue } from '@postrider/broker'
import { type Log, VERSION } from '@postrider/common'
import type { Settings } from '@postrider/config'
import { createRegistry } from '@postrider/destinations'
import { RedisState } from '@postrider/state'
import { checkSchema, openStore } from '@postrider/store'
import { createDelivery } from './context.ts'
import { HealthServer } from './health.ts'

/** A deliverer process over Postgres, RabbitMQ and Redis. */
export interface DeliveryProcess {
  /** Where its health can be asked for. */
  readonly port: number
  /** Idempotent. */
  stop(): Promise<void>
}

/**
 * Starts a deliverer of the distributed mode. Only Postgres has to be there; the broker and the shared
 * state may be away, and are waited for while it runs.
 *
 * @throws {SchemaMismatchError} When the schema does not serve this code
 */
export async function startDistributed(
  settings: Settings,
  log: Log,
  signal: AbortSignal,
): Promise<DeliveryProcess> {
  const { config, secrets, urls } = settings
  const postgresUrl = urls.postgres ?? ''
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
      url: postgresUrl,
      applicationName: 'postrider delivery',
      encryptionSecrets: secrets.encryptionSecrets,
      log,
    })
    stops.push(() => store.close())
    await checkSchema(store.pools.query)
    const jobs = new RabbitMqJobQueue({ url: urls.rabbitmq ?? '', log })
    stops.push(() => jobs.stop())
    const state = new RedisState({ url: urls.redis ?? '', limits: config.runway, log })
    stops.push(() => state.stop())
    const delivery = createDelivery({
      config,
      postgresUrl,
      store,
      jobs,
      ownsJobs: false,
      state,
      typeOf: (type) => registry.get(type),
      log,
    })
    const health = new HealthServer({
      host: config.delivery.host,
      port: config.delivery.port,
      readiness: () => delivery.readiness(),
      metrics: () => delivery.metrics(),
    })
    const port = await health.start()
    stops.push(() => health.stop())
    stops.push(() => delivery.stop())
    await delivery.start(signal)
    log.info('delivering', { port })
    let stopping: Promise<void> | null = null
    return { port, stop: () => (stopping ??= stop()) }
  } catch (error) {
    await stop()
    throw error
  }
}

import { RabbitMqJobQueue } from '@postrider/broker'
import { VERSION } from '@postrider/common'
import type { Settings } from '@postrider/config'
import { createDelivery } from '@postrider/delivery'
import { createRegistry, type DestinationType, type Sender } from '@postrider/destinations'
import { RedisState } from '@postrider/state'
import { openStore } from '@postrider/store'
import { silentLog } from '@postrider/testkit'

/** A header that every request bears: the number of its signing, from 0. */
export const SIGNING_HEADER = 'x-service-signing'

/** A send, noted as its sender is called, which signs before it does anything else. */
export interface Signing {
  /** Which deliverer it was. */
  readonly deliverer: number
  /** Unix milliseconds by the clock of the recording. */
  readonly atMs: number
}

/** What the deliverers of a test sign, each signing at its number. */
export interface Recording {
  readonly signings: Signing[]
  readonly nowMs: () => number
}

/** A deliverer as it is deployed, but that its signings are recorded. */
export interface RecordedDeliverer {
  /** Idempotent. */
  stop(): Promise<void>
}

/**
 * Puts a deliverer together as its process does, within this one, so that its senders can be watched.
 *
 * @param deliverer - what its signings are recorded under
 */
export async function startRecordedDeliverer(
  { config, secrets, urls }: Settings,
  deliverer: number,
  recording: Recording,
): Promise<RecordedDeliverer> {
  const log = silentLog
  const postgresUrl = urls.postgres ?? ''
  const store = openStore({
    url: postgresUrl,
    applicationName: 'recorded deliverer',
    encryptionSecrets: secrets.encryptionSecrets,
    log,
  })
  const jobs = new RabbitMqJobQueue({ url: urls.rabbitmq ?? '', log })
  const state = new RedisState({ url: urls.redis ?? '', limits: config.runway, log })
  const registry = createRegistry({
    ...config.destinations,
    connectTimeoutMs: config.delivery.timeoutMs,
    version: VERSION,
    log,
  })
  const delivery = createDelivery({
    config,
    postgresUrl,
    store,
    jobs,
    ownsJobs: false,
    state,
    typeOf: (name) => {
      const type = registry.get(name)
      return type && recorded(type, deliverer, recording)
    },
    log,
  })
  await delivery.start(new AbortController().signal)
  let stopping: Promise<void> | null = null
  const stop = async (): Promise<void> => {
    await delivery.stop()
    await state.stop()
    await jobs.stop()
    await store.close()
  }
  return { stop: () => (stopping ??= stop()) }
}

function recorded(
  type: DestinationType,
  deliverer: number,
  { signings, nowMs }: Recording,
): DestinationType {
  return {
    ...type,
    createSender: (): Sender => {
      const sender = type.createSender()
      return {
        send: (request) => {
          const signing = String(signings.length)
          signings.push({ deliverer, atMs: nowMs() })
          return sender.send({ ...request, metadata: { ...request.metadata, signing } })
        },
        stop: () => sender.stop(),
      }
    },
  }
}

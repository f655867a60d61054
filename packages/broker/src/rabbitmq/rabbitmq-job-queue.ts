import { setTimeout as delay } from 'node:timers/promises'
import type { Job, Log, QueueName } from '@postrider/common'
import type { ConsumeOptions, JobConsumer, JobQueue, PublishFate } from '../job-queue.ts'
import { BrokerConnection } from './broker-connection.ts'
import { Consumer } from './consumer.ts'
import { type BrokerAddress, parseBrokerUrl } from './dial.ts'
import type { HeldMessage } from './held-message.ts'
import { DeadLetter, OutgoingJobs } from './outgoing.ts'
import { Publisher } from './publisher.ts'
import { topology, type Topology } from './topology.ts'

export interface RabbitMqJobQueueOptions {
  /** amqp:// or amqps://, with user, password and vhost. Never logged. */
  readonly url: string
  readonly log: Log
  /** A publish without an answer for this long has an unknown fate. Default: 10 000. */
  readonly confirmTimeoutMs?: number
  /** Put before the names of the queues, so that tests can share a vhost. Default: none. */
  readonly queuePrefix?: string
}

const DEFAULT_CONFIRM_TIMEOUT_MS = 10_000
/** Between tries to put a message into the dead queue. */
const BURY_AGAIN_MS = 1_000

/**
 * The job queue on RabbitMQ: two quorum queues, so that retries never delay fresh events, and a third
 * for what cannot be read (ARCHITECTURE.md, "The job and the broker"). One connection publishes, another one consumes; both
 * are dialled for ever, the first from the construction on, and set up anew whenever they come back.
 */
export class RabbitMqJobQueue implements JobQueue {
  readonly #address: BrokerAddress
  readonly #topology: Topology
  readonly #log: Log
  readonly #publisher: Publisher
  readonly #consumers: Consumer[] = []
  #consuming: BrokerConnection | null = null
  #stopped: Promise<void> | null = null

  /** @throws {TypeError} When the URL is not one of AMQP; the message does not repeat it */
  constructor(options: RabbitMqJobQueueOptions) {
    this.#address = parseBrokerUrl(options.url)
    this.#topology = topology(options.queuePrefix ?? '')
    this.#log = options.log
    this.#publisher = new Publisher({
      address: this.#address,
      topology: this.#topology,
      log: options.log,
      confirmTimeoutMs: options.confirmTimeoutMs ?? DEFAULT_CONFIRM_TIMEOUT_MS,
    })
  }

  get isAway(): boolean {
    return this.#publisher.isAway
  }

  async ready(signal?: AbortSignal): Promise<void> {
    return this.#publisher.ready(signal)
  }

  async publish(jobs: readonly Job[]): Promise<readonly PublishFate[]> {
    return this.#publisher.publish(new OutgoingJobs(jobs, this.#topology))
  }

  async consume(options: ConsumeOptions): Promise<JobConsumer> {
    if (this.#stopped !== null) throw new Error('the job queue is stopped')
    this.#consuming ??= new BrokerConnection({
      address: this.#address,
      purpose: 'consume',
      log: this.#log,
    })
    const consumer = new Consumer({
      ...options,
      connection: this.#consuming,
      topology: this.#topology,
      log: this.#log,
      bury: (message, reason) => void this.#bury(message, options.queue, reason),
    })
    this.#consumers.push(consumer)
    return consumer
  }

  async stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    const consuming = this.#consuming
    await Promise.all([this.#publisher.stop(), ...this.#consumers.map((each) => each.stop())])
    await consuming?.stop()
  }

  /** Never rejects. Left as it is when its channel is lost first: then it is handed out again. */
  async #bury(message: HeldMessage, queue: QueueName, reason: string): Promise<void> {
    const { content } = message.message
    this.#log.error('a message that is no job goes to the dead queue', {
      queue,
      reason,
      bytes: content.length,
    })
    const letter = new DeadLetter(content, queue, reason, this.#topology)
    while (message.isLive) {
      const [fate] = await this.#publisher.publish(letter)
      if (fate === 'accepted') {
        message.ack()
        return
      }
      await delay(BURY_AGAIN_MS, undefined, { ref: false })
    }
  }
}

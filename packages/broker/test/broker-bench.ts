import { randomUUID } from 'node:crypto'
import { type Channel, type ChannelModel, connect } from 'amqplib'
import { type Log } from '@postrider/common'
import { RabbitMqJobQueue, type RabbitMqJobQueueOptions } from '../src/index.ts'
import { recordingLog } from './recording-log.ts'
import { waitFor } from './wait-for.ts'

/** The broker that all test files share. */
function sharedUrl(): string {
  // oxlint-disable-next-line node/no-process-env -- how test servers are handed to a test run
  const url = process.env['RABBITMQ_URL']
  if (url === undefined) throw new Error('RABBITMQ_URL is not set: see scripts/services')
  return url
}

/**
 * Opens job queues on a broker, stops them all at its end, and looks into their queues from outside.
 * Each queue() is a prefix of its own unless told otherwise.
 */
export class BrokerBench implements AsyncDisposable {
  readonly url: string
  readonly channel: Channel
  readonly #model: ChannelModel
  readonly #opened: RabbitMqJobQueue[] = []
  readonly #prefixes = new Set<string>()

  private constructor(url: string, model: ChannelModel, channel: Channel) {
    this.url = url
    this.#model = model
    this.channel = channel
  }

  /** @param url - default: the broker that all test files share */
  static async open(url: string = sharedUrl()): Promise<BrokerBench> {
    const model = await connect(url)
    // Tests that end the broker end this connection, too.
    model.on('error', () => undefined)
    const channel = await model.createChannel()
    channel.on('error', () => undefined)
    return new BrokerBench(url, model, channel)
  }

  prefix(): string {
    const prefix = `${randomUUID()}.`
    this.#prefixes.add(prefix)
    return prefix
  }

  /** A job queue that need not be ready. */
  dial(options: Partial<RabbitMqJobQueueOptions> & { readonly log?: Log } = {}): RabbitMqJobQueue {
    const queue = new RabbitMqJobQueue({
      url: this.url,
      log: recordingLog(),
      queuePrefix: options.queuePrefix ?? this.prefix(),
      ...options,
    })
    this.#opened.push(queue)
    return queue
  }

  /** A job queue that is ready. */
  async queue(options: Partial<RabbitMqJobQueueOptions> = {}): Promise<RabbitMqJobQueue> {
    const queue = this.dial(options)
    await queue.ready(AbortSignal.timeout(20_000))
    return queue
  }

  /** Messages in a queue that nobody holds. */
  async depth(queue: string): Promise<number> {
    return (await this.channel.checkQueue(queue)).messageCount
  }

  async reachesDepth(queue: string, depth: number): Promise<void> {
    await waitFor(`${depth} in ${queue}`, async () => (await this.depth(queue)) === depth)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#opened.map((queue) => queue.stop()))
    try {
      for (const prefix of this.#prefixes) {
        for (const name of ['fresh', 'retry', 'dead']) {
          await this.channel.deleteQueue(`${prefix}deliveries.v1.${name}`)
        }
      }
      await this.#model.close()
    } catch {
      // The broker has ended before us.
    }
  }
}

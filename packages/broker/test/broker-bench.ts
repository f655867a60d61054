import { silentLog, testVhost, type TestVhost, waitFor } from '@postrider/testkit'
import { randomUUID } from 'node:crypto'
import { type Channel, type ChannelModel, connect } from 'amqplib'
import { RabbitMqJobQueue, type RabbitMqJobQueueOptions } from '../src/index.ts'

/**
 * Opens job queues on a broker, stops them all at its end, and looks into their queues from outside.
 * Each queue() is a prefix of its own unless told otherwise.
 */
export class BrokerBench implements AsyncDisposable {
  readonly url: string
  readonly channel: Channel
  readonly #model: ChannelModel
  readonly #vhost: TestVhost | null
  readonly #opened: RabbitMqJobQueue[] = []
  readonly #prefixes = new Set<string>()

  private constructor(url: string, model: ChannelModel, channel: Channel, vhost: TestVhost | null) {
    this.url = url
    this.channel = channel
    this.#model = model
    this.#vhost = vhost
  }

  /** @param url - default: a vhost of the test run's broker */
  static async open(url?: string): Promise<BrokerBench> {
    if (url !== undefined) return BrokerBench.#connect(url, null)
    const vhost = await testVhost()
    return BrokerBench.#connect(vhost.url, vhost)
  }

  static async #connect(url: string, vhost: TestVhost | null): Promise<BrokerBench> {
    const model = await connect(url)
    // Tests that end the broker end this connection, too.
    model.on('error', () => undefined)
    const channel = await model.createChannel()
    channel.on('error', () => undefined)
    return new BrokerBench(url, model, channel, vhost)
  }

  prefix(): string {
    const prefix = `${randomUUID()}.`
    this.#prefixes.add(prefix)
    return prefix
  }

  /** A job queue that need not be ready. */
  dial(options: Partial<RabbitMqJobQueueOptions> = {}): RabbitMqJobQueue {
    const queue = new RabbitMqJobQueue({
      url: this.url,
      log: silentLog,
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
    await waitFor(async () => (await this.depth(queue)) === depth, {
      what: `${depth} in ${queue}`,
      deadlineMs: 30_000,
    })
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
    await this.#vhost?.[Symbol.asyncDispose]()
  }
}

import { randomUUID } from 'node:crypto'
import { decodeJob, type Log, MalformedJobError } from '@postrider/common'
import type { Channel, ConsumeMessage } from 'amqplib'
import { HandOut } from '../hand-out.ts'
import type { ConsumeOptions, JobConsumer } from '../job-queue.ts'
import { AckWindow } from './ack-window.ts'
import type { BrokerConnection } from './broker-connection.ts'
import { ChannelKeeper } from './channel-keeper.ts'
import { HeldMessage, RabbitMqJob } from './held-message.ts'
import { settled } from './settled.ts'
import type { Topology } from './topology.ts'

const CANCEL_TIMEOUT_MS = 5_000

export interface ConsumerOptions extends ConsumeOptions {
  readonly connection: BrokerConnection
  readonly topology: Topology
  readonly log: Log
  /** Takes over a message that is no job; acks it when it is safe elsewhere. */
  readonly bury: (message: HeldMessage, reason: string) => void
}

/** A subscription with a channel of its own, subscribed anew on each channel that it gets. */
export class Consumer implements JobConsumer {
  readonly #options: ConsumerOptions
  readonly #keeper: ChannelKeeper<Channel>
  readonly #handOut: HandOut
  // Ours, so that cancel() can name a subscription whose answer is still on its way.
  readonly #tag = randomUUID()
  #channel: Channel | null = null
  #window: AckWindow | null = null
  #cancelled: Promise<void> | null = null
  #isHandingOut = true

  constructor(options: ConsumerOptions) {
    this.#options = options
    this.#handOut = new HandOut(options, options.log)
    this.#keeper = new ChannelKeeper({
      connection: options.connection,
      topology: options.topology,
      log: options.log,
      open: (model) => model.createChannel(),
      setUp: (channel) => this.#subscribe(channel),
    })
  }

  async cancel(): Promise<void> {
    this.#cancelled ??= this.#cancel()
    return this.#cancelled
  }

  /** Writes the acks that are due and closes the channel. Idempotent. */
  async stop(): Promise<void> {
    this.#isHandingOut = false
    this.#window?.close()
    await this.#keeper.stop()
  }

  async #cancel(): Promise<void> {
    const channel = this.#channel
    if (channel !== null) {
      // Until the broker confirms, jobs may come and are handed out: dropped here, they would wait for
      // the end of the channel and come back as redelivered.
      const cancelling = Promise.resolve().then(() => channel.cancel(this.#tag))
      await settled(cancelling, CANCEL_TIMEOUT_MS)
    }
    this.#isHandingOut = false
    if (this.#window === null || this.#window.isEmpty) await this.#keeper.stop()
  }

  async #subscribe(channel: Channel): Promise<void> {
    const window = new AckWindow(channel, () => this.#emptied())
    channel.once('close', () => {
      window.close()
      if (this.#channel !== channel) return
      this.#channel = null
      this.#window = null
      if (this.#cancelled !== null) void this.#keeper.stop()
    })
    this.#channel = channel
    this.#window = window
    await channel.prefetch(this.#options.prefetch)
    if (this.#cancelled !== null) return
    await channel.consume(
      this.#options.topology[this.#options.queue],
      (message) => this.#receive(window, message),
      { consumerTag: this.#tag },
    )
  }

  #receive(window: AckWindow, message: ConsumeMessage | null): void {
    if (message === null) {
      this.#cancelledByServer(window)
      return
    }
    if (!this.#isHandingOut) return
    try {
      const job = decodeJob(message.content, this.#options.queue)
      const received = new RabbitMqJob(job, message, window)
      window.add(received)
      this.#handOut.give(received)
    } catch (error) {
      if (!(error instanceof MalformedJobError)) throw error
      const held = new HeldMessage(message, window)
      window.add(held)
      this.#options.bury(held, error.message)
    }
  }

  /** The queue was deleted or has moved. A fresh channel declares it and subscribes anew. */
  #cancelledByServer(window: AckWindow): void {
    this.#options.log.warn('RabbitMQ cancelled a consumer; subscribing again', {
      queue: this.#options.queue,
    })
    window.close()
    void this.#keeper.renew()
  }

  #emptied(): void {
    if (!this.#isHandingOut) void this.#keeper.stop()
  }
}

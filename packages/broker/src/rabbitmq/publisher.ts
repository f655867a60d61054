import { EventEmitter, once } from 'node:events'
import type { Log } from '@postrider/common'
import type { ChannelModel, ConfirmChannel, Message, Options } from 'amqplib'
import type { PublishFate } from '../job-queue.ts'
import { BrokerConnection } from './broker-connection.ts'
import { ChannelKeeper } from './channel-keeper.ts'
import { Cork } from './cork.ts'
import { type BrokerAddress, socketOf } from './dial.ts'
import { type Outgoing, PublishBatch } from './publish-batch.ts'
import { PublishWindow } from './publish-window.ts'
import { declareTopology, type Topology } from './topology.ts'

export interface PublisherOptions {
  readonly address: BrokerAddress
  readonly topology: Topology
  readonly log: Log
  /** Every publish has its fates within this time. */
  readonly confirmTimeoutMs: number
}

/**
 * Publishes on a confirm channel that has a connection to itself: under an alarm the broker stops reading
 * from connections that publish, and the acks of consumers must get through even then.
 */
export class Publisher {
  readonly #connection: BrokerConnection
  readonly #keeper: ChannelKeeper<ConfirmChannel>
  readonly #topology: Topology
  readonly #log: Log
  readonly #confirmTimeoutMs: number
  // One object for all messages: amqplib reads it and keeps nothing of it.
  readonly #properties: Options.Publish = {
    persistent: true,
    mandatory: true,
    correlationId: '',
    headers: undefined,
  }
  #channel: ConfirmChannel | null = null
  #cork = new Cork(null)
  #window = new PublishWindow()
  #isFull = false
  #isDeclaring = false
  #lastWordMs = 0
  #timer: NodeJS.Timeout | null = null
  /** `change`: isAway may have changed. `idle`: no publish is open. */
  readonly #events = new EventEmitter().setMaxListeners(0)
  #stopped: Promise<void> | null = null

  constructor(options: PublisherOptions) {
    this.#topology = options.topology
    this.#log = options.log
    this.#confirmTimeoutMs = options.confirmTimeoutMs
    this.#connection = new BrokerConnection({
      address: options.address,
      purpose: 'publish',
      log: options.log,
      onBlocked: () => this.#blockedChanged(),
    })
    this.#keeper = new ChannelKeeper({
      connection: this.#connection,
      topology: options.topology,
      log: options.log,
      open: (model) => this.#open(model),
      setUp: async (channel) => this.#use(channel),
    })
  }

  get isAway(): boolean {
    return this.#channel === null || this.#connection.isBlocked || this.#stopped !== null
  }

  /** Tells the fate of each message, in their order, within the time of the options. */
  async publish(outgoing: Outgoing): Promise<readonly PublishFate[]> {
    if (outgoing.count === 0) return []
    return new Promise((resolve) => {
      const batch = new PublishBatch(outgoing, Date.now() + this.#confirmTimeoutMs, resolve)
      const channel = this.#channel
      if (channel === null || this.isAway) {
        batch.refuseUnwritten()
        return
      }
      this.#window.add(batch)
      this.#arm()
      this.#write(channel)
    })
  }

  /** Resolves when it is not away, or rejects when the signal aborts or it is stopped. */
  async ready(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    while (this.isAway) {
      if (this.#stopped !== null) throw new Error('the job queue is stopped')
      await once(this.#events, 'change', signal === undefined ? {} : { signal })
    }
  }

  /** Lets every publish have its fates, then closes. Idempotent. */
  async stop(): Promise<void> {
    this.#stopped ??= this.#close()
    return this.#stopped
  }

  async #close(): Promise<void> {
    // The deadlines of the batches bound the wait.
    const idle = this.#window.oldest === undefined ? null : once(this.#events, 'idle')
    queueMicrotask(() => this.#events.emit('change'))
    await idle
    if (this.#timer !== null) clearTimeout(this.#timer)
    // The connection first: under an alarm the broker would not read that the channel is to be closed.
    await this.#connection.stop()
    await this.#keeper.stop()
  }

  async #open(model: ChannelModel): Promise<ConfirmChannel> {
    this.#cork = new Cork(socketOf(model))
    return model.createConfirmChannel()
  }

  #use(channel: ConfirmChannel): void {
    this.#window = new PublishWindow()
    this.#isFull = false
    channel.once('close', () => this.#lost())
    channel.on('drain', () => {
      this.#isFull = false
      this.#write(channel)
    })
    channel.on('ack', ({ deliveryTag, multiple }) => {
      this.#answered(deliveryTag, multiple, 'accepted')
    })
    channel.on('nack', ({ deliveryTag, multiple }) => {
      this.#answered(deliveryTag, multiple, 'refused')
    })
    channel.on('return', (message) => this.#returned(channel, message))
    this.#channel = channel
    this.#events.emit('change')
  }

  #lost(): void {
    this.#channel = null
    this.#window.abandon()
    this.#settled()
    this.#events.emit('change')
  }

  #write(channel: ConfirmChannel): void {
    while (!this.#isFull) {
      const batch = this.#window.nextUnwritten()
      if (batch === undefined) return
      this.#writeNext(channel, batch)
      this.#cork.gather()
    }
  }

  #writeNext(channel: ConfirmChannel, batch: PublishBatch): void {
    const { outgoing, written } = batch
    try {
      this.#properties.correlationId = String(this.#window.nextTag)
      this.#properties.headers = outgoing.headers
      const queue = outgoing.queueOf(written)
      const hasRoom = channel.publish('', queue, outgoing.bodyOf(written), this.#properties)
      this.#isFull = !hasRoom
      this.#window.wrote(batch)
    } catch (error) {
      // amqplib throws before it writes: the message has no tag, and the rest of its batch gets none.
      this.#log.error('a job could not be written', { error })
      batch.refuseUnwritten()
      this.#settled()
    }
  }

  #answered(tag: number, multiple: boolean, fate: PublishFate): void {
    this.#lastWordMs = Date.now()
    if (multiple) this.#window.settleUpTo(tag, fate)
    else this.#window.settle(tag, fate)
    this.#settled()
  }

  /** n.b. the broker confirms a message right after it returned it; its first fate is its last. */
  #returned(channel: ConfirmChannel, message: Message): void {
    this.#window.settle(Number(message.properties.correlationId), 'refused')
    this.#settled()
    if (this.#isDeclaring) return
    this.#isDeclaring = true
    this.#log.warn('a queue is missing in RabbitMQ; declaring it again', {
      queue: message.fields.routingKey,
    })
    void this.#declare(channel)
  }

  async #declare(channel: ConfirmChannel): Promise<void> {
    try {
      await declareTopology(channel, this.#topology)
    } catch {
      // The channel is closed by that, and the next one begins with the topology.
    } finally {
      this.#isDeclaring = false
    }
  }

  #blockedChanged(): void {
    // What was written waits for the end of the alarm, as long as its deadline allows.
    if (this.#connection.isBlocked) {
      this.#window.refuseUnwritten()
      this.#settled()
    }
    this.#events.emit('change')
  }

  #expire(): void {
    this.#timer = null
    const now = Date.now()
    if (this.#window.expire(now) > 0) {
      const isSilent = this.#lastWordMs < now - this.#confirmTimeoutMs
      if (isSilent && !this.#connection.isBlocked) this.#connection.drop('no confirm came in time')
      this.#settled()
    }
    this.#arm()
  }

  #settled(): void {
    if (this.#window.oldest === undefined) this.#events.emit('idle')
  }

  #arm(): void {
    const oldest = this.#window.oldest
    if (oldest === undefined || this.#timer !== null) return
    this.#timer = setTimeout(() => this.#expire(), oldest.deadlineMs - Date.now())
  }
}

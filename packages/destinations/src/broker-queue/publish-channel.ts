import type { ConfirmChannel, Message } from 'amqplib'
import { channelFailure } from './broker-failure.ts'
import type { ReadAllowance } from './read-allowance.ts'

/** A message for a broker. */
export interface BrokerMessage {
  readonly exchange: string
  readonly routingKey: string
  readonly messageId: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface PublishChannelOptions {
  /** Of the connection. */
  readonly allowance: ReadAllowance
  /** The channel has ended, by the server or with its connection. */
  readonly onClose: () => void
  /** Nothing can be published any more, and the channel does not end by itself: the connection has to. */
  readonly onStuck: () => void
}

interface Unconfirmed {
  /** Messages are counted from 1 on each channel; confirms tell them by that. */
  readonly tag: number
  readonly messageId: string
  readonly routingKey: string
  isReturned: boolean
}

interface Confirm {
  readonly deliveryTag: number
}

/** A server that has confirmed so many later ones will not confirm a message any more. */
const MAX_BEHIND = 10_000

/**
 * A confirm channel on which several messages may be under way at once. A message counts when the
 * server has confirmed it and not returned it before: an unroutable one comes back *and* is confirmed.
 */
export class PublishChannel {
  readonly #channel: ConfirmChannel
  readonly #options: PublishChannelOptions
  /** In the order in which they were written. */
  readonly #unconfirmed = new Set<Unconfirmed>()
  #lastTag = 0
  /** What has become of messages without a confirm when the channel ends. */
  #endCode = 'connection_reset'
  #isClosed = false
  #words = 0

  constructor(channel: ConfirmChannel, options: PublishChannelOptions) {
    this.#channel = channel
    this.#options = options
    channel.on('error', (error) => {
      this.#endCode = channelFailure('code' in error ? error.code : undefined)
    })
    channel.once('close', () => {
      this.#isClosed = true
      options.onClose()
    })
    channel.on('return', (message) => this.#returned(message))
    channel.prependListener('ack', (confirm: Confirm) => this.#check(confirm))
    channel.prependListener('nack', (confirm: Confirm) => this.#check(confirm))
  }

  /** How often the server has confirmed or refused something here. */
  get words(): number {
    return this.#words
  }

  /** Publishes; resolves with `confirmed` or the code of the failure, at the latest when the channel ends. */
  async publish({
    exchange,
    routingKey,
    messageId,
    headers,
    body,
  }: BrokerMessage): Promise<string> {
    const options = {
      mandatory: true,
      persistent: true,
      contentType: 'application/json',
      messageId,
      headers,
    }
    const tag = this.#lastTag + 1
    const unconfirmed: Unconfirmed = { tag, messageId, routingKey, isReturned: false }
    const answered = this.#options.allowance.expectAnswer(body.length)
    return new Promise((resolve) => {
      const onConfirm = (error: Error | null): void => {
        answered()
        this.#unconfirmed.delete(unconfirmed)
        this.#words += 1
        resolve(unconfirmed.isReturned ? 'unroutable' : this.#codeOf(error))
      }
      try {
        this.#channel.publish(exchange, routingKey, body, options, onConfirm)
        this.#lastTag = tag
        this.#unconfirmed.add(unconfirmed)
        if (tag - this.#oldestTag() >= MAX_BEHIND) this.#options.onStuck()
      } catch {
        // amqplib throws when the channel has ended, or is about to; nothing was written.
        answered()
        resolve(this.#endCode)
        if (!this.#isClosed) this.#options.onStuck()
      }
    })
  }

  /**
   * Asked about every confirm before amqplib sees it, which makes a list as long as the tag is large and
   * goes through all of it when the channel ends: minutes, in which nothing else happens.
   *
   * @throws {Error} When there is no such message: amqplib then ends the connection
   */
  #check({ deliveryTag }: Confirm): void {
    if (deliveryTag >= this.#oldestTag() && deliveryTag <= this.#lastTag) return
    this.#endCode = 'protocol_error'
    throw new Error('a confirm of a message that is not under way')
  }

  #oldestTag(): number {
    const [oldest] = this.#unconfirmed
    return oldest?.tag ?? this.#lastTag + 1
  }

  #codeOf(error: Error | null): string {
    if (error === null) return 'confirmed'
    // A nack: the queue is full, or the server failed to keep the message.
    return error.message === 'message nacked' ? 'channel_error' : this.#endCode
  }

  /** Comes before its confirm. Messages of one id and routing key are the same, so any of them will do. */
  #returned({ properties, fields }: Message): void {
    for (const each of this.#unconfirmed) {
      if (each.isReturned || each.messageId !== properties.messageId) continue
      if (each.routingKey !== fields.routingKey) continue
      each.isReturned = true
      return
    }
  }
}

import type { ConfirmChannel, Message } from 'amqplib'
import { channelFailure } from './broker-failure.ts'

/** A message for a broker. */
export interface BrokerMessage {
  readonly exchange: string
  readonly routingKey: string
  readonly messageId: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

interface Unconfirmed {
  readonly messageId: string
  readonly routingKey: string
  isReturned: boolean
}

/**
 * A confirm channel on which several messages may be under way at once. A message counts when the
 * server has confirmed it and not returned it before: an unroutable one comes back *and* is confirmed.
 */
export class PublishChannel {
  readonly #channel: ConfirmChannel
  /** In the order in which they were written. */
  readonly #unconfirmed = new Set<Unconfirmed>()
  /** What has become of messages without a confirm when the channel ends. */
  #endCode = 'connection_reset'
  #words = 0

  /** @param onClose - the channel has ended, by the server or with its connection */
  constructor(channel: ConfirmChannel, onClose: () => void) {
    this.#channel = channel
    channel.on('error', (error) => {
      this.#endCode = channelFailure('code' in error ? error.code : undefined)
    })
    channel.once('close', onClose)
    channel.on('return', (message) => this.#returned(message))
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
    const unconfirmed: Unconfirmed = { messageId, routingKey, isReturned: false }
    const options = {
      mandatory: true,
      persistent: true,
      contentType: 'application/json',
      messageId,
      headers,
    }
    return new Promise((resolve) => {
      const onConfirm = (error: Error | null): void => {
        this.#unconfirmed.delete(unconfirmed)
        this.#words += 1
        resolve(unconfirmed.isReturned ? 'unroutable' : this.#codeOf(error))
      }
      this.#unconfirmed.add(unconfirmed)
      try {
        this.#channel.publish(exchange, routingKey, body, options, onConfirm)
      } catch {
        // amqplib throws when the channel has just ended; nothing was written.
        this.#unconfirmed.delete(unconfirmed)
        resolve(this.#endCode)
      }
    })
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

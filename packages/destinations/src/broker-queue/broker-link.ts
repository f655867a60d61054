import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressGuard } from '../guard/address-guard.ts'
import { BrokerFailureError } from './broker-failure.ts'
import type { BrokerSettings } from './broker-settings.ts'
import { dial, type DialledBroker } from './dial.ts'
import { type BrokerMessage, PublishChannel } from './publish-channel.ts'

const CLOSE_TIMEOUT_MS = 2000

/**
 * One connection to a broker with one channel that publishes.
 *
 *     dialling ──► open ──► ended (refused, lost, cut, closed)
 *
 * The server closes a channel for a missing exchange or right and leaves the connection: the next
 * message opens another channel. An ended link stays ended; its owner makes another one.
 */
export class BrokerLink {
  readonly #openTimeoutMs: number
  readonly #broker: Promise<DialledBroker>
  readonly #cut = new AbortController()
  #channel: Promise<PublishChannel> | null = null
  /** While the server has an alarm it reads nothing. */
  #alarm: PromiseWithResolvers | null = null
  #isEnded = false

  /** @param openTimeoutMs - for the connection, and for each channel */
  constructor(settings: BrokerSettings, guard: AddressGuard, openTimeoutMs: number) {
    this.#openTimeoutMs = openTimeoutMs
    this.#broker = this.#inTime(this.#dial(settings, guard))
    // Whoever publishes hears of a failure.
    this.#broker.catch(() => undefined)
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /**
   * Resolves with `confirmed` or the code of the failure.
   *
   * @param expired - rejects when the message's time is over; then a server that has been silent since
   *   the message was written loses the connection
   * @throws {BrokerFailureError} When nothing was written
   */
  async publish(message: BrokerMessage, expired: Promise<never>): Promise<string> {
    const channel = await Promise.race([this.#openChannel(), expired])
    // What is not written is not published late either.
    if (this.#alarm !== null) await Promise.race([this.#alarm.promise, expired])
    const wordsBefore = channel.words
    try {
      return await Promise.race([channel.publish(message), expired])
    } catch (error) {
      // In an alarm silence is what is to be expected; the link remembers not to write.
      if (channel.words === wordsBefore && this.#alarm === null) this.#end()
      throw error
    }
  }

  /** Closes it in order, or cuts it when the server does not answer. */
  async close(): Promise<void> {
    this.#isEnded = true
    // amqplib calls nobody back when the connection is lost while it closes.
    const lost = new Promise((resolve) => {
      this.#cut.signal.addEventListener('abort', resolve, { once: true })
    })
    const closed = this.#broker.then(({ model }) => model.close())
    await Promise.race([
      // It never opened, or it is closed already.
      closed.catch(() => undefined),
      lost,
      sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false }),
    ])
    this.#end()
  }

  async #dial(settings: BrokerSettings, guard: AddressGuard): Promise<DialledBroker> {
    try {
      const broker = await dial(settings, guard, this.#cut.signal)
      const { model } = broker
      // After some errors amqplib waits for a word of the server, who may never say it.
      model.on('error', () => this.#end())
      model.on('blocked', () => (this.#alarm ??= promiseWithResolvers()))
      model.on('unblocked', () => this.#endAlarm())
      model.once('close', () => this.#end())
      return broker
    } catch (error) {
      this.#isEnded = true
      throw error
    }
  }

  async #openChannel(): Promise<PublishChannel> {
    this.#channel ??= this.#inTime(this.#makeChannel())
    return this.#channel
  }

  async #makeChannel(): Promise<PublishChannel> {
    const { model, allowance } = await this.#broker
    try {
      const channel = await model.createConfirmChannel()
      return new PublishChannel(channel, {
        allowance,
        onClose: () => {
          this.#channel = null
        },
        onStuck: () => this.#end(),
      })
    } catch (cause) {
      this.#channel = null
      throw new BrokerFailureError(this.#isEnded ? 'connection_reset' : 'channel_error', { cause })
    }
  }

  /** Gives up the link when something takes too long. */
  async #inTime<T>(opening: Promise<T>): Promise<T> {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.#end()
    }, this.#openTimeoutMs)
    try {
      return await opening
    } catch (cause) {
      throw isLate ? new BrokerFailureError('timeout', { cause }) : cause
    } finally {
      clearTimeout(timer)
    }
  }

  #end(): void {
    this.#isEnded = true
    this.#endAlarm()
    // amqplib only ends its side; a peer that is gone would keep the socket for a long time.
    this.#cut.abort()
  }

  #endAlarm(): void {
    this.#alarm?.resolve()
    this.#alarm = null
  }
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>
  resolve(): void
}

function promiseWithResolvers(): PromiseWithResolvers {
  let resolve = nothing
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

function nothing(): void {
  // Stands in until the promise has given its own.
}

import { type Log, pause } from '@postrider/common'
import type { ChannelModel } from 'amqplib'
import { Backoff } from './backoff.ts'
import { type BrokerAddress, dial } from './dial.ts'
import { settled } from './settled.ts'

/** For the closing handshake; after it the socket is destroyed. */
const CLOSE_TIMEOUT_MS = 2_000

export interface BrokerConnectionOptions {
  readonly address: BrokerAddress
  /** What the connection is for, in the log. */
  readonly purpose: string
  readonly log: Log
  /** `isBlocked` has changed. */
  readonly onBlocked?: () => void
}

/**
 * One connection to the broker, dialled at once and again for ever, until it is stopped.
 *
 *     dialling ──► connected ──► lost (by the peer, its silence, or drop()) ──► dialling …
 *
 * Its owners keep channels on it (`ChannelKeeper`); these are closed before it tells of its loss.
 */
export class BrokerConnection {
  readonly #options: BrokerConnectionOptions
  readonly #log: Log
  readonly #stopping = new AbortController()
  readonly #ended: Promise<void>
  #waiters: ((model: ChannelModel | null) => void)[] = []
  #model: ChannelModel | null = null
  #cut = new AbortController()
  #isBlocked = false
  #lastFailure = ''

  constructor(options: BrokerConnectionOptions) {
    this.#options = options
    this.#log = options.log
    this.#ended = this.#keep()
  }

  /** The broker has an alarm and takes nothing from this connection until it is over. */
  get isBlocked(): boolean {
    return this.#isBlocked
  }

  /** The connection, as soon as there is one; null when it is stopped. */
  async connected(): Promise<ChannelModel | null> {
    if (this.#model !== null) return this.#model
    if (this.#stopping.signal.aborted) return null
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  /** Gives the connection up without asking the peer, who may not answer any more. */
  drop(reason: string): void {
    if (this.#model === null) return
    this.#log.warn('giving up the connection to RabbitMQ', { ...this.#facts, reason })
    this.#cut.abort()
  }

  /** Closes it for good. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const model = this.#model
    if (model !== null)
      await settled(
        Promise.resolve().then(() => model.close()),
        CLOSE_TIMEOUT_MS,
      )
    this.#cut.abort()
    await this.#ended
  }

  get #facts() {
    return { broker: this.#options.address.label, purpose: this.#options.purpose }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  async #keep(): Promise<void> {
    const backoff = new Backoff()
    while (!this.#isStopping) {
      await pause(backoff.nextDelayMs(), this.#stopping.signal)
      if (!this.#isStopping) await this.#live(backoff)
    }
    this.#tell(null)
  }

  /** Dials and, when that succeeds, lasts as long as the connection. */
  async #live(backoff: Backoff): Promise<void> {
    this.#cut = new AbortController()
    let model: ChannelModel
    try {
      model = await dial(this.#options.address, this.#cut.signal)
    } catch (error) {
      this.#noteFailure(error)
      return
    }
    const since = Date.now()
    const lost = this.#watch(model)
    this.#lastFailure = ''
    this.#log.info('connected to RabbitMQ', this.#facts)
    this.#model = model
    // stop() could not see a connection that was still being made.
    if (this.#isStopping) this.#cut.abort()
    else this.#tell(model)
    const reason = await lost
    // amqplib only ends its side; a peer that is gone would keep the socket for a long time.
    this.#cut.abort()
    this.#model = null
    this.#setBlocked(false)
    backoff.held(Date.now() - since)
    if (!this.#isStopping) {
      this.#log.warn('the connection to RabbitMQ was lost; dialling again', {
        ...this.#facts,
        reason,
      })
    }
  }

  /** Resolves with the reason when the connection is over. */
  async #watch(model: ChannelModel): Promise<string | undefined> {
    let reason: string | undefined
    // n.b. an orderly end by the server emits `close` without `error`; a cut socket emits both.
    model.on('error', (error) => {
      reason = error.message
    })
    model.on('blocked', () => this.#setBlocked(true))
    model.on('unblocked', () => this.#setBlocked(false))
    return new Promise((resolve) => {
      model.once('close', (error) => resolve(reason ?? error?.message))
    })
  }

  #setBlocked(isBlocked: boolean): void {
    if (this.#isBlocked === isBlocked) return
    this.#isBlocked = isBlocked
    const message = isBlocked
      ? 'RabbitMQ has an alarm and takes no jobs'
      : 'RabbitMQ takes jobs again'
    this.#log.warn(message, this.#facts)
    this.#options.onBlocked?.()
  }

  /** Each new reason is told once; an outage of an hour is not a line for each try. */
  #noteFailure(error: unknown): void {
    const reason = error instanceof Error ? error.message || error.name : String(error)
    if (reason === this.#lastFailure || this.#isStopping) return
    this.#lastFailure = reason
    this.#log.warn('RabbitMQ cannot be reached; trying on', { ...this.#facts, reason })
  }

  #tell(model: ChannelModel | null): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const resolve of waiters) resolve(model)
  }
}

import { type Log, pause } from '@postrider/common'
import type { Channel, ChannelModel } from 'amqplib'
import { Backoff } from './backoff.ts'
import type { BrokerConnection } from './broker-connection.ts'
import { settled } from './settled.ts'
import { declareTopology, type Topology } from './topology.ts'

const CLOSE_TIMEOUT_MS = 2_000

export interface ChannelKeeperOptions<C extends Channel> {
  readonly connection: BrokerConnection
  readonly topology: Topology
  readonly log: Log
  /** Opens a channel of the kind that is kept. */
  readonly open: (model: ChannelModel) => Promise<C>
  /**
   * Puts the channel to use; the topology is there. The user hears of its end by its `close` event. When
   * it rejects, the channel is closed and another one tried.
   */
  readonly setUp: (channel: C) => Promise<void>
}

/**
 * Keeps one channel open and set up, whatever becomes of it or of the connection below.
 *
 * A channel is closed by the server (a queue that is missing, a declaration that does not fit), by its
 * user (who wants a fresh one), or with its connection. Whichever it was, the next one begins with the
 * topology: so queues come back after a deletion or a wiped disk.
 */
export class ChannelKeeper<C extends Channel> {
  readonly #options: ChannelKeeperOptions<C>
  readonly #stopping = new AbortController()
  #current: { readonly channel: C; readonly closed: Promise<void> } | null = null

  constructor(options: ChannelKeeperOptions<C>) {
    this.#options = options
    // Never rejects; ends after stop(), or with the connection.
    void this.#keep()
  }

  /** Closes the channel, after what was written to it; a fresh one follows. */
  async renew(): Promise<void> {
    if (this.#current === null) return
    const { channel, closed } = this.#current
    // Rejects when it is being closed already; its event tells in any case.
    channel.close().catch(() => undefined)
    await settled(closed, CLOSE_TIMEOUT_MS)
  }

  /** Closes the channel, after what was written to it; none follows. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.renew()
  }

  async #keep(): Promise<void> {
    const { connection } = this.#options
    const backoff = new Backoff()
    while (!this.#stopping.signal.aborted) {
      await pause(backoff.nextDelayMs(), this.#stopping.signal)
      const model = await connection.connected()
      if (model === null || this.#stopping.signal.aborted) return
      const since = Date.now()
      await this.#live(model)
      backoff.held(Date.now() - since)
    }
  }

  async #live(model: ChannelModel): Promise<void> {
    const { connection, log, open, setUp } = this.#options
    let channel: C
    try {
      channel = await open(model)
    } catch (error) {
      // A connection that opens no channel is of no use, and might not even tell that it has ended.
      connection.drop(reasonOf(error))
      return
    }
    let isClosed = false
    const closed = new Promise<void>((resolve) => {
      channel.once('close', () => {
        isClosed = true
        resolve()
      })
    })
    channel.on('error', (error) => {
      log.warn('RabbitMQ closed a channel', { reason: reasonOf(error) })
    })
    this.#current = { channel, closed }
    try {
      // stop() could not see a channel that was still being opened.
      if (this.#stopping.signal.aborted) await this.renew()
      else await declareTopology(channel, this.#options.topology)
      // From here on the user's own listener hears of the end; it might have come just before.
      if (!isClosed) await setUp(channel)
      await closed
    } catch (error) {
      // When it is closed already, whoever closed it has been logged.
      if (isClosed) return
      log.warn('a channel of RabbitMQ could not be set up', { reason: reasonOf(error) })
      await this.renew()
    } finally {
      this.#current = null
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

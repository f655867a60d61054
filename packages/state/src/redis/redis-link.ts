import type { Log } from '@postrider/common'
import type { Redis } from 'ioredis'
import { closeConnection, type ConnectionOptions, openConnection, redial } from './connection.ts'

export interface RedisLinkOptions extends ConnectionOptions {
  readonly log: Log
  /**
   * Run on every new connection before it is used; its rejection means that the server cannot be used
   * (a replica, out of memory, no permission) and leads to the next dial.
   */
  readonly restore: (redis: Redis) => Promise<void>
}

/**
 * A connection to a Redis that may be away, and the one place that decides whether it is.
 *
 * - `dialling`: not reached yet, which is no news.
 * - `up`: connected and restored; commands are sent.
 * - `away`: the connection was lost or refused, or a command failed or was not answered in time. Nothing
 *   is sent, so that callers wait for a hanging server once and not at every call. The connection whose
 *   answer was lost is dropped: a new one shows whether the server is back.
 * - `stopped`: for good.
 *
 * The way into `away` is logged as a warning and the way out of it as information, once each.
 */
export class RedisLink {
  readonly #redis: Redis
  readonly #log: Log
  readonly #restore: (redis: Redis) => Promise<void>
  #state: 'dialling' | 'up' | 'away' | 'stopped' = 'dialling'
  #stopping: Promise<void> | null = null

  constructor(options: RedisLinkOptions) {
    this.#log = options.log
    this.#restore = options.restore
    this.#redis = openConnection(options)
    // Never rejects: what fails in it leads to the next dial.
    this.#redis.on('ready', () => void this.#onReady())
    this.#redis.on('error', (error: Error) => this.#lose(error))
    this.#redis.on('close', () => this.#lose(new Error('connection closed')))
  }

  get isUp(): boolean {
    return this.#state === 'up'
  }

  /** The answer, or null when the server is away; then the command may have been run all the same. */
  async attempt<T>(command: (redis: Redis) => Promise<T>): Promise<T | null> {
    if (this.#state !== 'up') return null
    try {
      return await command(this.#redis)
    } catch (error) {
      this.#lose(error)
      redial(this.#redis)
      return null
    }
  }

  /** Closes the connection. Idempotent. */
  stop(): Promise<void> {
    this.#state = 'stopped'
    this.#stopping ??= closeConnection(this.#redis)
    return this.#stopping
  }

  async #onReady(): Promise<void> {
    try {
      await this.#restore(this.#redis)
    } catch (error) {
      this.#lose(error)
      redial(this.#redis)
      return
    }
    if (this.#state === 'stopped' || this.#redis.status !== 'ready') return
    if (this.#state === 'away') this.#log.info('redis is back')
    this.#state = 'up'
  }

  #lose(error: unknown): void {
    if (this.#state === 'stopped' || this.#state === 'away') return
    this.#state = 'away'
    this.#log.warn('redis is away, each process keeps the bounds alone', { error })
  }
}

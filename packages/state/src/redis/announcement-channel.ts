import { randomUUID } from 'node:crypto'
import type { Log } from '@postrider/common'
import type { Redis } from 'ioredis'
import type { Announcement } from '../shared-state.ts'
import { closeConnection, type ConnectionOptions, openConnection, redial } from './connection.ts'

export interface AnnouncementChannelOptions extends ConnectionOptions {
  readonly log: Log
  readonly channel: string
  /** Called with what other processes announce, never with what this one does. */
  readonly onAnnouncements: (announcements: readonly Announcement[]) => void
}

/** What travels: who says it (everybody hears his own messages), and the destinations. */
type Message = readonly [sender: string, ...destinationUids: string[]]

/**
 * Hears announcements on a connection of its own, which subscribes anew whenever it was lost. What is
 * announced meanwhile is not heard; no one relies on hearing.
 */
export class AnnouncementChannel {
  readonly #redis: Redis
  readonly #log: Log
  readonly #channel: string
  readonly #sender = randomUUID()
  readonly #onAnnouncements: AnnouncementChannelOptions['onAnnouncements']
  #stopping: Promise<void> | null = null

  constructor(options: AnnouncementChannelOptions) {
    this.#log = options.log
    this.#channel = options.channel
    this.#onAnnouncements = options.onAnnouncements
    this.#redis = openConnection(options)
    // Never rejects: what fails in it leads to the next dial.
    this.#redis.on('ready', () => void this.#subscribe())
    this.#redis.on('message', (_channel: string, text: string) => this.#hear(text))
    this.#redis.on('error', (error: Error) => {
      // The link to the same server has the warning; this connection costs nothing but time.
      this.#log.debug('announcements are not heard', { error })
    })
  }

  /** Says it on a connection that can say things: this one only hears. */
  async send(redis: Redis, announcements: readonly Announcement[]): Promise<void> {
    const message: Message = [this.#sender, ...announcements.map((each) => each.destinationUid)]
    await redis.publish(this.#channel, JSON.stringify(message))
  }

  /** Closes the connection. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= closeConnection(this.#redis)
    return this.#stopping
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#redis.subscribe(this.#channel)
    } catch (error) {
      if (this.#stopping !== null) return
      this.#log.warn('cannot subscribe to announcements', { error })
      redial(this.#redis)
    }
  }

  #hear(text: string): void {
    const message = parseMessage(text)
    if (message === null) {
      this.#log.warn('announcement that is none', { channel: this.#channel })
      return
    }
    const [sender, ...destinationUids] = message
    if (sender === this.#sender || this.#stopping !== null) return
    this.#onAnnouncements(destinationUids.map((destinationUid) => ({ destinationUid })))
  }
}

/** Anybody with access to the server can write here, so it is checked. */
function parseMessage(text: string): Message | null {
  try {
    const message: unknown = JSON.parse(text)
    if (!Array.isArray(message) || !message.every((part) => typeof part === 'string')) return null
    const [sender, ...destinationUids] = message
    return sender === undefined ? null : [sender, ...destinationUids]
  } catch {
    return null // the caller logs it
  }
}

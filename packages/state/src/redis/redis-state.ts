import type { Log, QueueName } from '@postrider/common'
import type { Redis } from 'ioredis'
import { AnnouncementListeners } from '../announcement-listeners.ts'
import { InProcessState } from '../in-process/in-process-state.ts'
import type {
  Announcement,
  Place,
  RunwayLimits,
  SharedState,
  TakeOptions,
} from '../shared-state.ts'
import { AnnouncementChannel } from './announcement-channel.ts'
import { releasePlaces, takePlaces, wholeMs } from './commands.ts'
import { RedisLink } from './redis-link.ts'

export interface RedisStateOptions {
  readonly limits: RunwayLimits
  readonly log: Log
  readonly url: string
  /** Begins every key, for servers that are shared. Default: postrider. */
  readonly keyPrefix?: string
  /** A command without an answer fails after this long. Default: 500. */
  readonly commandTimeoutMs?: number
}

/** Places in one command, so that none holds up a shared server for more than some milliseconds. */
const PLACES_PER_COMMAND = 1000

/**
 * The state that processes share through Redis. Dials at once, is away until it is connected, and never
 * rejects: while Redis is away the bounds are kept in this process alone, from zero, and forgotten when
 * Redis is back. A place that another process took is then given back in exchange for one that was taken
 * here, for the same destination.
 */
export class RedisState implements SharedState {
  readonly #options: RedisStateOptions
  readonly #prefix: string
  readonly #link: RedisLink
  readonly #channel: AnnouncementChannel
  readonly #listeners: AnnouncementListeners
  #local: InProcessState
  /**
   * Places that Redis may hold although nobody here does: taken by a command whose answer was lost, or
   * given back while Redis was away. Given back as soon as it returns; else a blink of the connection
   * would cost a tenant his runway for a whole lease.
   */
  #owed: Place[] = []

  constructor(options: RedisStateOptions) {
    const { log, url, keyPrefix = 'postrider', commandTimeoutMs = 500 } = options
    this.#options = options
    this.#prefix = `{${keyPrefix}}`
    this.#listeners = new AnnouncementListeners(log)
    this.#local = new InProcessState(options)
    this.#link = new RedisLink({
      url,
      commandTimeoutMs,
      log,
      restore: (redis) => this.#restore(redis),
    })
    this.#channel = new AnnouncementChannel({
      url,
      commandTimeoutMs,
      log,
      channel: `${this.#prefix}:announcements`,
      onAnnouncements: (announcements) => this.#listeners.tell(announcements),
    })
  }

  get isAway(): boolean {
    return !this.#link.isUp
  }

  async takePlaces(places: readonly Place[], options: TakeOptions): Promise<readonly boolean[]> {
    if (places.length <= PLACES_PER_COMMAND) return this.#takeBatch(places, options)
    const taken: boolean[] = []
    for (const batch of batchesOf(places)) taken.push(...(await this.#takeBatch(batch, options)))
    return taken
  }

  async releasePlaces(places: readonly Place[]): Promise<void> {
    for (const batch of batchesOf(places)) {
      const answer = await this.#link.attempt((redis) => releasePlaces(redis, this.#prefix, batch))
      if (answer !== null) continue
      // What was taken here alone is unknown to Redis.
      const foreign = batch.filter((place) => !this.#local.holds(place))
      this.#owe(foreign)
      await this.#local.releasePlaces(batch)
      // Another process has taken these, and one of ours is given back over there: jobs go to whoever
      // is free. Without the exchange both would count them until their leases end, and stand still.
      this.#local.releaseInstead(foreign)
    }
  }

  async markBacklog(tenantUid: string, queue: QueueName, ttlMs: number): Promise<void> {
    const key = this.#backlogKey(tenantUid, queue)
    const answer = await this.#link.attempt((redis) => redis.set(key, '1', 'PX', wholeMs(ttlMs)))
    if (answer === null) await this.#local.markBacklog(tenantUid, queue, ttlMs)
  }

  async clearBacklog(tenantUid: string, queue: QueueName): Promise<void> {
    const key = this.#backlogKey(tenantUid, queue)
    const answer = await this.#link.attempt((redis) => redis.del(key))
    if (answer === null) await this.#local.clearBacklog(tenantUid, queue)
  }

  async narrowDestination(destinationUid: string, places: number, ttlMs: number): Promise<void> {
    const key = `${this.#prefix}:narrow:${destinationUid}`
    const answer = await this.#link.attempt((redis) => redis.set(key, places, 'PX', wholeMs(ttlMs)))
    if (answer === null) await this.#local.narrowDestination(destinationUid, places, ttlMs)
  }

  async announce(announcements: readonly Announcement[]): Promise<void> {
    if (announcements.length === 0) return
    this.#listeners.tell(announcements)
    // Best effort: what is announced while Redis is away is found out by those who look.
    await this.#link.attempt((redis) => this.#channel.send(redis, announcements))
  }

  onAnnouncement(listener: (announcement: Announcement) => void): () => void {
    return this.#listeners.add(listener)
  }

  async stop(): Promise<void> {
    await Promise.all([this.#link.stop(), this.#channel.stop()])
  }

  async #takeBatch(batch: readonly Place[], options: TakeOptions): Promise<readonly boolean[]> {
    const wasUp = this.#link.isUp
    const limits = this.#options.limits
    const answer = await this.#link.attempt((redis) =>
      takePlaces(redis, this.#prefix, batch, { ...options, limits }),
    )
    if (answer !== null) return answer
    if (wasUp) this.#owe(batch)
    return this.#local.takePlaces(batch, options)
  }

  /** More than there can be places at all is not kept; the rest ends by itself. */
  #owe(places: readonly Place[]): void {
    const room = this.#options.limits.totalJobs - this.#owed.length
    this.#owed.push(...places.slice(0, Math.max(0, room)))
  }

  /** Before a new connection is used. Also finds out whether the server takes writes and scripts. */
  async #restore(redis: Redis): Promise<void> {
    await redis.set(`${this.#prefix}:probe`, '1', 'PX', 1000)
    do {
      const batch = this.#owed.slice(0, PLACES_PER_COMMAND)
      await releasePlaces(redis, this.#prefix, batch)
      this.#owed.splice(0, batch.length)
    } while (this.#owed.length > 0)
    this.#local = new InProcessState(this.#options)
  }

  #backlogKey(tenantUid: string, queue: QueueName): string {
    return `${this.#prefix}:backlog:${queue}:${tenantUid}`
  }
}

function* batchesOf(places: readonly Place[]): Generator<readonly Place[]> {
  for (let from = 0; from < places.length; from += PLACES_PER_COMMAND) {
    yield places.slice(from, from + PLACES_PER_COMMAND)
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryDestination } from '@postrider/common'

/** Something with connections that serves one version of one destination. */
export interface Client {
  /** Ends its connections; nobody uses it any more. Never rejects. */
  close(): Promise<void>
}

export interface ClientPoolOptions<C extends Client> {
  /** Makes the client of a destination; it connects when it is first used. */
  readonly create: (destination: DeliveryDestination) => C
  /** Clients kept at once; those in use are kept beyond it. Default 256. */
  readonly limit?: number
  /** A client that was not used for this long is closed. Default 60 000. */
  readonly idleMs?: number
}

interface Entry<C> {
  readonly key: string
  readonly uid: string
  readonly version: number
  readonly client: C
  users: number
  usedAtMs: number
  isRetired: boolean
  isClosed: boolean
}

/** Clients have limits of their own for saying goodbye; whoever stops waits no longer than this. */
const CLOSE_TIMEOUT_MS = 5000

/**
 * One live client for each destination and version of its settings. A client is closed when it was
 * idle for long, when too many are kept and it was used longest ago, or when a newer version of its
 * destination is in use; and never while somebody uses it.
 */
export class ClientPool<C extends Client> {
  readonly #create: (destination: DeliveryDestination) => C
  readonly #limit: number
  readonly #idleMs: number
  /** The one used longest ago first. */
  readonly #entries = new Map<string, Entry<C>>()
  readonly #closing = new Set<Promise<void>>()
  #sweep: NodeJS.Timeout | null = null

  constructor({ create, limit = 256, idleMs = 60_000 }: ClientPoolOptions<C>) {
    this.#create = create
    this.#limit = limit
    this.#idleMs = idleMs
  }

  /** Clients that are kept. */
  get size(): number {
    return this.#entries.size
  }

  /** Does something with a destination's client, which stays open for so long. */
  async use<T>(destination: DeliveryDestination, act: (client: C) => Promise<T>): Promise<T> {
    const entry = this.#entryOf(destination)
    entry.users += 1
    try {
      return await act(entry.client)
    } finally {
      entry.users -= 1
      entry.usedAtMs = Date.now()
      if (entry.isRetired && entry.users === 0) this.#close(entry)
    }
  }

  /** Closes all clients; what still uses one has passed its deadline. Idempotent. */
  async stop(): Promise<void> {
    if (this.#sweep !== null) clearInterval(this.#sweep)
    this.#sweep = null
    for (const entry of this.#entries.values()) {
      this.#retire(entry)
      this.#close(entry)
    }
    await Promise.all(this.#closing)
  }

  #entryOf(destination: DeliveryDestination): Entry<C> {
    const { uid, version } = destination
    const key = `${uid}:${version}`
    const known = this.#entries.get(key)
    if (known !== undefined) {
      this.#entries.delete(key)
      this.#entries.set(key, known)
      return known
    }
    for (const entry of this.#entries.values()) {
      if (entry.uid === uid && entry.version < version) this.#retire(entry)
    }
    this.#makeRoom()
    const client = this.#create(destination)
    const made = {
      key,
      uid,
      version,
      client,
      users: 0,
      usedAtMs: Date.now(),
      isRetired: false,
      isClosed: false,
    }
    this.#entries.set(key, made)
    this.#sweep ??= setInterval(() => this.#closeIdle(), this.#idleMs / 2).unref()
    return made
  }

  #makeRoom(): void {
    for (const entry of this.#entries.values()) {
      if (this.#entries.size < this.#limit) return
      if (entry.users === 0) this.#retire(entry)
    }
  }

  #closeIdle(): void {
    const since = Date.now() - this.#idleMs
    for (const entry of this.#entries.values()) {
      if (entry.users === 0 && entry.usedAtMs <= since) this.#retire(entry)
    }
    if (this.#entries.size > 0 || this.#sweep === null) return
    clearInterval(this.#sweep)
    this.#sweep = null
  }

  /** Forgets a client; it is closed when its last user is done. */
  #retire(entry: Entry<C>): void {
    entry.isRetired = true
    this.#entries.delete(entry.key)
    if (entry.users === 0) this.#close(entry)
  }

  #close(entry: Entry<C>): void {
    if (entry.isClosed) return
    entry.isClosed = true
    const limit = sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })
    const closed = Promise.race([entry.client.close(), limit]).finally(() =>
      this.#closing.delete(closed),
    )
    this.#closing.add(closed)
  }
}

import type { DeliveryDestination } from '@postrider/common'

/**
 * Fresh enough (rule 5): what a deliverer remembers of destinations.
 *
 * Every second it asks Postgres, in one statement, for the versions of the destinations that it used
 * in the last minute. An entry whose last confirmed read *began* more than 3 s ago is not used: it is
 * read again and the send waits. So 5 s after a change has committed nothing is signed with an old
 * secret or sent to an old URL, with or without announcements, which only make it sooner.
 */
export interface DestinationCacheOptions {
  /** Reads destinations; those that do not exist are left out. Repeats until it can answer. */
  readonly read: (
    uids: readonly string[],
  ) => Promise<{ destinations: DeliveryDestination[]; undecryptable: string[] }>
  readonly readVersions: (uids: readonly string[]) => Promise<Map<string, number>>
  /** Monotonic milliseconds. (Default: `performance.now()`) */
  readonly nowMs?: () => number
}

const MAX_AGE_MS = 3000
const USED_WITHIN_MS = 60_000

interface Entry {
  /** Null: it does not exist in Postgres. */
  destination: DeliveryDestination | null
  /** When the last read that confirmed it began. */
  confirmedAt: number
  /** Reads that began before this do not confirm it. */
  changedAt: number
  usedAt: number
}

/** The credentials of a destination cannot be read: a fault of ours. */
export class CredentialsFaultError extends Error {
  override readonly name = 'CredentialsFaultError'
}

export class DestinationCache {
  readonly #options: DestinationCacheOptions
  readonly #nowMs: () => number
  readonly #entries = new Map<string, Entry>()
  readonly #loading = new Map<string, Promise<void>>()
  #toLoad: string[] = []
  #nextLoad: Promise<{ undecryptable: readonly string[] }> | null = null

  constructor(options: DestinationCacheOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
  }

  /** The destination, null when it is deleted, undefined when it must be read first (`get`). */
  peek(uid: string): DeliveryDestination | null | undefined {
    const entry = this.#entries.get(uid)
    if (entry === undefined) return undefined
    const now = this.#nowMs()
    if (now - entry.confirmedAt > MAX_AGE_MS) return undefined
    entry.usedAt = now
    return entry.destination
  }

  /**
   * The destination as it was in Postgres at most 3 s ago; null when it is deleted. A read that took
   * longer than that, or during which somebody said that it changed, is made again. Reads that are asked
   * for together become one statement.
   *
   * @throws {CredentialsFaultError} When its credentials cannot be decrypted
   */
  async get(uid: string): Promise<DeliveryDestination | null> {
    for (;;) {
      const known = this.peek(uid)
      if (known !== undefined) return known
      let loading = this.#loading.get(uid)
      if (loading === undefined) {
        loading = this.#load(uid).finally(() => this.#loading.delete(uid))
        this.#loading.set(uid, loading)
      }
      await loading
    }
  }

  /** Somebody says that it changed: read it again before the next use. */
  invalidate(uid: string): void {
    const entry = this.#entries.get(uid)
    const now = this.#nowMs()
    if (entry !== undefined) {
      entry.changedAt = now
      entry.confirmedAt = -Infinity
    } else if (this.#loading.has(uid)) {
      // For the first read of it, which is under way, to find.
      const unread = { destination: null, confirmedAt: -Infinity, changedAt: now, usedAt: now }
      this.#entries.set(uid, unread)
    }
  }

  /** One round of confirming what is in use, and of forgetting what is not. */
  async refresh(): Promise<void> {
    const startedAt = this.#nowMs()
    for (const [uid, entry] of this.#entries) {
      if (startedAt - entry.usedAt > USED_WITHIN_MS) this.#entries.delete(uid)
    }
    if (this.#entries.size === 0) return
    const uids = [...this.#entries.keys()]
    const versions = await this.#options.readVersions(uids)
    for (const uid of uids) {
      const entry = this.#entries.get(uid)
      if (entry === undefined || entry.changedAt >= startedAt) continue
      if ((entry.destination?.version ?? null) === (versions.get(uid) ?? null)) {
        entry.confirmedAt = Math.max(entry.confirmedAt, startedAt)
      } else if (entry.confirmedAt < startedAt) {
        entry.confirmedAt = -Infinity
      }
    }
  }

  async #load(uid: string): Promise<void> {
    this.#toLoad.push(uid)
    this.#nextLoad ??= this.#loadTogether()
    const { undecryptable } = await this.#nextLoad
    if (undecryptable.includes(uid)) {
      throw new CredentialsFaultError('the credentials cannot be decrypted')
    }
  }

  async #loadTogether(): Promise<{ undecryptable: readonly string[] }> {
    // Those who ask in this turn of the event loop go along.
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    const uids = this.#toLoad
    this.#toLoad = []
    this.#nextLoad = null
    const startedAt = this.#nowMs()
    const { destinations, undecryptable } = await this.#options.read(uids)
    const found = new Map(destinations.map((destination) => [destination.uid, destination]))
    for (const uid of uids) {
      if (undecryptable.includes(uid)) continue
      const changedAt = this.#entries.get(uid)?.changedAt ?? -Infinity
      this.#entries.set(uid, {
        destination: found.get(uid) ?? null,
        confirmedAt: changedAt >= startedAt ? -Infinity : startedAt,
        changedAt,
        usedAt: this.#nowMs(),
      })
    }
    return { undecryptable }
  }
}

import type { Log, LogFields } from '@postrider/common'

/** A fault that goes on is told again after this long. */
const TOLD_EVERY_MS = 60_000

/** More kinds at a time share one place, so that messages that differ each time fill no log either. */
const MAX_KINDS = 100

interface Told {
  atMs: number
  untold: number
}

export interface FaultLogOptions {
  readonly log: Log
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
}

/**
 * Tells of faults of ours before sends. What is away, such as a forward proxy, is away for every
 * delivery, and a line for each would bury the one that says so: of each kind (name and message of the
 * error) the first is told at once, and then one a minute while it goes on, with `repeated`, how many
 * there were since the last line.
 */
export class FaultLog {
  readonly #log: Log
  readonly #now: () => number
  readonly #kinds = new Map<string, Told>()

  constructor({ log, now }: FaultLogOptions) {
    this.#log = log
    this.#now = now
  }

  /** `ids` are those of the delivery that it befell. */
  tell(error: unknown, ids: LogFields): void {
    const now = this.#now()
    const kind = this.#placeOf(error instanceof Error ? `${error.name} ${error.message}` : '', now)
    const told = this.#kinds.get(kind)
    if (told !== undefined && now - told.atMs < TOLD_EVERY_MS) {
      told.untold++
      return
    }
    this.#kinds.set(kind, { atMs: now, untold: 0 })
    const repeated = told?.untold ?? 0
    this.#log.error('fault before the send', {
      ...ids,
      ...(repeated > 0 ? { repeated } : {}),
      error,
    })
  }

  #placeOf(kind: string, now: number): string {
    if (this.#kinds.has(kind) || this.#kinds.size < MAX_KINDS) return kind
    for (const [other, { atMs }] of this.#kinds) {
      if (now - atMs >= 2 * TOLD_EVERY_MS) this.#kinds.delete(other)
    }
    return this.#kinds.size < MAX_KINDS ? kind : ''
  }
}

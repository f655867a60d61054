export interface OpenSendsOptions {
  /** A send that goes on for longer than this does not end any more. */
  readonly limitMs: number
  /** Monotonic milliseconds. (Default: `performance.now()`) */
  readonly nowMs?: () => number
}

/** A send that should have ended long ago. */
export interface OverdueSend<T> {
  readonly owner: T
  readonly tookMs: number
}

/**
 * The sends under way. Senders promise to end within the timeout; one that breaks its promise would keep
 * its place in the window for ever, and enough of them all of it. That is found out by looking, now and
 * then, at the oldest, not by a timer for each.
 */
export class OpenSends<T> {
  readonly #limitMs: number
  readonly #nowMs: () => number
  /** When each began; the oldest first, for they are put in as they begin. */
  readonly #beganAt = new Map<T, number>()
  #lookedAt = -Infinity

  constructor({ limitMs, nowMs = () => performance.now() }: OpenSendsOptions) {
    this.#limitMs = limitMs
    this.#nowMs = nowMs
  }

  begin(owner: T): void {
    this.#beganAt.set(owner, this.#nowMs())
  }

  /**
   * The send has come to something.
   *
   * @returns how long it took; null when it was overdue and taken out, and nobody waits for it any more
   */
  end(owner: T): number | null {
    const beganAt = this.#beganAt.get(owner)
    if (beganAt === undefined) return null
    this.#beganAt.delete(owner)
    return this.#nowMs() - beganAt
  }

  /**
   * Takes out the sends that were overdue at the last look already: each is given up, once. After a pause
   * of the process, in which all of them got old, they have from one look to the next to end.
   */
  takeOverdue(): OverdueSend<T>[] {
    const now = this.#nowMs()
    const overdue: OverdueSend<T>[] = []
    for (const [owner, beganAt] of this.#beganAt) {
      if (this.#lookedAt - beganAt <= this.#limitMs) break
      overdue.push({ owner, tookMs: now - beganAt })
    }
    for (const { owner } of overdue) this.#beganAt.delete(owner)
    this.#lookedAt = now
    return overdue
  }
}

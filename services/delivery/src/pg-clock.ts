const SAMPLES = 4

/**
 * Postgres is the only clock (ARCHITECTURE.md, promise 2): leases end by its time. This keeps the offset of
 * this process' clock to it, so that a lease can be judged and an attempt stamped without a question.
 */
export class PgClock {
  readonly #readClockMs: () => Promise<number>
  #offsetMs = 0

  /** @param readClockMs - asks Postgres for its time, Unix milliseconds */
  constructor(readClockMs: () => Promise<number>) {
    this.#readClockMs = readClockMs
  }

  /**
   * Measures the offset anew. Of several questions the one answered fastest counts, less half of its
   * round trip: a slow one (a new connection, a busy process) says little. Rejects when Postgres is
   * away.
   */
  async sync(): Promise<void> {
    let fastestMs = Infinity
    for (let i = 0; i < SAMPLES; i++) {
      const before = Date.now()
      const startedAt = performance.now()
      const theirs = await this.#readClockMs()
      const tookMs = performance.now() - startedAt
      if (tookMs >= fastestMs) continue
      fastestMs = tookMs
      this.#offsetMs = theirs - (before + tookMs / 2)
    }
  }

  /** Now by Postgres' clock, whole Unix milliseconds. */
  nowMs(): number {
    return Math.round(Date.now() + this.#offsetMs)
  }
}

/**
 * Postgres is the only clock (DESIGN.md promise 2): leases end by its time. This keeps the offset of
 * this process' clock to it, so that a lease can be judged and an attempt stamped without a question.
 */
export class PgClock {
  readonly #readClockMs: () => Promise<number>
  #offsetMs = 0

  /** @param readClockMs - asks Postgres for its time, Unix milliseconds */
  constructor(readClockMs: () => Promise<number>) {
    this.#readClockMs = readClockMs
  }

  /** Measures the offset anew; half of the round trip is taken off. Rejects when Postgres is away. */
  async sync(): Promise<void> {
    const before = Date.now()
    const theirs = await this.#readClockMs()
    const after = Date.now()
    this.#offsetMs = theirs - (before + after) / 2
  }

  /** Now by Postgres' clock, whole Unix milliseconds. */
  nowMs(): number {
    return Math.round(Date.now() + this.#offsetMs)
  }
}

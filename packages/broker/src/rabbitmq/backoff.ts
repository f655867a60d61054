/** Longer waits would only make the recovery of a broker late: a try costs it little. */
const MAX_DELAY_MS = 3_000
const FIRST_DELAY_MS = 100
/** What held this long was no lucky moment of a broker that comes and goes. */
const STABLE_MS = 10_000

/**
 * The wait before the next try, in milliseconds. The upper half is random, so that the processes of a
 * broker that went away together do not come back together.
 *
 * | failures | wait          |
 * | -------- | ------------- |
 * | 0        | none          |
 * | 1        | 50 – 100 ms   |
 * | 2        | 100 – 200 ms  |
 * | 5        | 0.8 – 1.6 s   |
 * | 6 …      | 1.5 – 3 s     |
 *
 * @param random - a number in [0, 1)
 */
export function backoffMs(failures: number, random: number): number {
  if (failures === 0) return 0
  const delay = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS)
  return Math.round((delay / 2) * (1 + random))
}

/** Paces something that is tried for ever: at once after it held for a while, later and later else. */
export class Backoff {
  #failures = 0

  nextDelayMs(): number {
    return backoffMs(this.#failures++, Math.random())
  }

  /** What was tried worked for this long. */
  held(forMs: number): void {
    if (forMs >= STABLE_MS) this.#failures = 0
  }
}

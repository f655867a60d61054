/** When a failed delivery is tried again. */
export type RetryPolicy =
  | {
      readonly kind: 'exponential'
      /** Delay before the first retry, in milliseconds; doubles with each further one. */
      readonly intervalMs: number
      /** Retries after the first try. */
      readonly maxRetries: number
    }
  | {
      readonly kind: 'schedule'
      /** Delay before the 1st, 2nd, … retry, in milliseconds; as many retries as entries. */
      readonly delaysMs: readonly number[]
    }

/** The doubling stops here: beyond it a longer wait helps nobody. */
const MAX_DELAY_MS = 24 * 60 * 60 * 1000
const JITTER = 0.1

/**
 * The delay before the next try, in whole milliseconds, or null when no tries are left.
 *
 * Exponential delays get up to 10 % more, so that deliveries that failed together do not come back
 * together; a schedule is followed exactly, because whoever writes one means it.
 *
 * | tries made | interval 30 s | schedule 5,60 |
 * | ---------- | ------------- | ------------- |
 * | 1          | 30 s – 33 s   | 5 s           |
 * | 2          | 60 s – 66 s   | 60 s          |
 * | 3          | 120 s – 132 s | null          |
 *
 * @param triesMade - tries that count, including the one that just failed; 1-based
 * @param random - a number in [0, 1)
 */
export function retryDelayMs(
  policy: RetryPolicy,
  triesMade: number,
  random: number,
): number | null {
  if (policy.kind === 'schedule') return policy.delaysMs[triesMade - 1] ?? null
  if (triesMade > policy.maxRetries) return null
  const delay = Math.min(policy.intervalMs * 2 ** (triesMade - 1), MAX_DELAY_MS)
  return Math.round(delay * (1 + JITTER * random))
}

import { type Log, pause } from '@postrider/common'
import { reactionTo } from '@postrider/store'

export interface PatienceOptions {
  /** What is being done, for the log. */
  readonly what: string
  readonly log: Log
  /** Gives up waiting for Postgres; the last error is thrown. */
  readonly signal: AbortSignal
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2000

/**
 * Repeats work on Postgres for as long as Postgres is away or says that the same work can succeed:
 * what a deliverer knows must not be forgotten because the database restarts. Only for work that may
 * be repeated.
 *
 * @throws What Postgres refused, or the last error once `signal` aborts
 */
export async function withPatience<T>(
  work: () => Promise<T>,
  options: PatienceOptions,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const reaction = reactionTo(error)
      if ((reaction !== 'away' && reaction !== 'again') || options.signal.aborted) throw error
      if (tries === 0) {
        options.log.warn('postgres does not answer; trying again', { what: options.what, error })
      }
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(tries, 10), LONGEST_PAUSE_MS)
      await pause(pauseMs * (0.5 + Math.random() / 2), options.signal)
    }
  }
}

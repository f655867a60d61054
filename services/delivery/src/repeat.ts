import { type Log, pause } from '@postrider/common'

/** A round that is repeated until it is stopped. */
export interface Repeated {
  /** Waits for the round under way. Idempotent. */
  stop(): Promise<void>
}

/**
 * Runs `round` now and again `everyMs` after it has ended. A round that fails is logged, and the next
 * one comes as if it had not.
 */
export function repeat(
  what: string,
  everyMs: number,
  round: () => Promise<void>,
  log: Log,
): Repeated {
  const stopped = new AbortController()
  const loop = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      try {
        await round()
      } catch (error) {
        log.warn('a round failed', { what, error })
      }
      await pause(everyMs, stopped.signal)
    }
  }
  const running = loop()
  return {
    stop: async () => {
      stopped.abort()
      await running
    },
  }
}

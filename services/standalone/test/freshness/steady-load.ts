import { setTimeout as delay } from 'node:timers/promises'

/** Work that goes on at a steady pace, until it is ended. */
export interface SteadyLoad extends AsyncDisposable {
  /**
   * Lets what has begun come to its end. Idempotent.
   *
   * @throws What the first piece of work that failed threw
   */
  end(): Promise<void>
}

/** Enough that pieces which take 60 ms do not slow a pace of 500 a second. */
const LANES = 32

/**
 * Does that many pieces of work per second by the clock: what a busy machine has held up is made up for
 * at once, over at most 32 at a time. Whoever starts it ends it.
 */
export function startSteadyLoad(perSecond: number, work: () => Promise<void>): SteadyLoad {
  const ending = new AbortController()
  const startedAt = performance.now()
  let begun = 0
  const goOn = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const dueInMs = startedAt + (begun++ * 1000) / perSecond - performance.now()
      if (dueInMs >= 1) await delay(dueInMs)
      await work()
    }
  }
  const lanes = Promise.all(Array.from({ length: LANES }, goOn))
  // Its failure is told by `end`; until then it must not count as one that nobody handles.
  lanes.catch(() => undefined)
  const end = async (): Promise<void> => {
    ending.abort()
    await lanes
  }
  return { end, [Symbol.asyncDispose]: end }
}

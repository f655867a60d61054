import { setTimeout as delay } from 'node:timers/promises'

/** Waits; ends early, without an error, when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0 || signal.aborted) return
  await delay(ms, undefined, { signal }).catch(() => undefined)
}

/** Waits until the promise has settled, either way, but no longer than this. */
export async function settled(promise: Promise<unknown>, ms: number): Promise<void> {
  const bound = new AbortController()
  try {
    await Promise.race([promise, pause(ms, bound.signal)])
  } catch {
    // Only that it is over matters here: what is closed is given up in any case.
  } finally {
    bound.abort()
  }
}

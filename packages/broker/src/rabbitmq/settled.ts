import { pause } from '@postrider/common'

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

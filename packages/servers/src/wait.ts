import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Asks until the answer is not null or the deadline has passed; then the answer is null. The pause
 * between two questions grows from 5 ms to 100 ms: most servers are ready within a blink.
 */
export async function waitUntil<T>(
  ask: () => Promise<T | null> | T | null,
  deadlineMs: number,
): Promise<T | null> {
  const end = performance.now() + deadlineMs
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    const answer = await ask()
    if (answer !== null || performance.now() >= end) return answer
    await sleep(pauseMs)
  }
}

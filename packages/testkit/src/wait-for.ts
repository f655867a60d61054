import { setTimeout as sleep } from 'node:timers/promises'

export interface WaitForOptions {
  /** What is waited for; it stands in the error. */
  readonly what: string
  /** Default 10 000. */
  readonly deadlineMs?: number
}

const PAUSE_MS = 5

/**
 * Asks until the answer is neither false, null nor undefined, and returns it.
 * @throws {Error} After the deadline, naming what was waited for. What the condition throws passes through.
 */
export async function waitFor<T>(
  condition: () => Promise<T> | T,
  { what, deadlineMs = 10_000 }: WaitForOptions,
): Promise<Exclude<T, false | null | undefined>> {
  const end = performance.now() + deadlineMs
  for (;;) {
    const answer = await condition()
    if (isAnswer(answer)) return answer
    if (performance.now() >= end) throw new Error(`Waited ${deadlineMs} ms in vain for ${what}.`)
    await sleep(PAUSE_MS)
  }
}

function isAnswer<T>(answer: T): answer is Exclude<T, false | null | undefined> {
  return answer !== false && answer !== null && answer !== undefined
}

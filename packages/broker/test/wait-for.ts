import { setTimeout as pause } from 'node:timers/promises'

/** Asks until the answer is true; rejects after the deadline, naming what it waited for. */
export async function waitFor(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  deadlineMs = 20_000,
): Promise<void> {
  const end = performance.now() + deadlineMs
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`)
    await pause(2)
  }
}

import type { SendResult } from './destination-type.ts'
import { failed } from './send-result.ts'

/**
 * Makes a try that is over by its deadline: then its signal aborts, and the result is a timeout,
 * whatever the try still comes to.
 */
export async function withinDeadline(
  timeoutMs: number,
  attempt: (signal: AbortSignal) => Promise<SendResult>,
): Promise<SendResult> {
  const deadline = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<SendResult>((resolve) => {
    timer = setTimeout(() => {
      resolve(failed('timeout'))
      deadline.abort()
    }, timeoutMs)
  })
  try {
    return await Promise.race([attempt(deadline.signal), expired])
  } finally {
    clearTimeout(timer)
  }
}

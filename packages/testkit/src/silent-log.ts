import type { Log } from '@postrider/common'

/** A log for tests that do not look at it. */
export const silentLog: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
}

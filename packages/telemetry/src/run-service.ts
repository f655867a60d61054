import type { Log } from '@postrider/common'
import { explainStart } from './explain-start.ts'

/** What runs until it is stopped. */
export interface RunningService {
  /** Idempotent. */
  stop(): Promise<void>
}

export interface RunServiceOptions {
  /** Builds and starts the service; gives up when the signal aborts. */
  readonly start: (signal: AbortSignal) => Promise<RunningService>
  /** After a stop has taken this long, the process ends as it is. */
  readonly stopLimitMs: number
  readonly log: Log
}

/** A signal that follows another within this time is the same one: a terminal and npm both send it. */
const SAME_SIGNAL_MS = 1000

/**
 * The life of a process: starts the service, stops it on SIGTERM or SIGINT, and lets the process end
 * by itself, with exit code 0 after a clean stop and 1 when it could not start. A second signal, or a
 * stop that takes too long, ends it at once.
 */
export async function runService(options: RunServiceOptions): Promise<void> {
  const { log } = options
  const starting = new AbortController()
  let service: RunningService | null = null
  let signalledAt: number | null = null

  const stop = async (): Promise<void> => {
    setTimeout(() => {
      log.error('the stop took too long; ending as it is')
      process.exit(1)
    }, options.stopLimitMs).unref()
    starting.abort(new Error('asked to stop'))
    try {
      await service?.stop()
      log.info('stopped')
    } catch (error) {
      log.error('the stop failed', { error })
      process.exitCode = 1
    }
    process.off('SIGTERM', onSignal)
    process.off('SIGINT', onSignal)
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = performance.now()
    if (signalledAt === null) {
      signalledAt = now
      log.info('stopping', { signal })
      void stop() // Handles its own failures.
    } else if (now - signalledAt > SAME_SIGNAL_MS) {
      log.warn('asked twice to stop; ending as it is', { signal })
      process.exit(1)
    }
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)

  try {
    service = await options.start(starting.signal)
    // Asked to stop while it was starting.
    if (starting.signal.aborted) await service.stop()
  } catch (error) {
    process.off('SIGTERM', onSignal)
    process.off('SIGINT', onSignal)
    if (starting.signal.aborted) return
    process.stderr.write(`${explainStart(error)}\n`)
    process.exitCode = 1
  }
}

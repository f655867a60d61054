import { readProcessSettings, type Settings } from '@postrider/config'
import { createLogger, explainStart, runService } from '@postrider/telemetry'
import { startDistributed } from './distributed.ts'

let settings: Settings | null = null
try {
  settings = readProcessSettings({ mode: 'delivery' })
} catch (error) {
  process.stderr.write(`${explainStart(error)}\n`)
  process.exitCode = 1
}

if (settings !== null) {
  const given = settings
  const log = createLogger({ level: given.config.logLevel, service: 'delivery' })
  await runService({
    log,
    // The deliverer keeps to its own limit; this one is for what comes after it.
    stopLimitMs: given.config.stopTimeoutMs + 10_000,
    start: (signal) => startDistributed(given, log, signal),
  })
}

import { readProcessSettings, type Settings } from '@postrider/config'
import { createLogger, explainStart, runService } from '@postrider/telemetry'
import { startDistributed } from './distributed.ts'

let settings: Settings | null = null
try {
  settings = readProcessSettings({ mode: 'api' })
} catch (error) {
  process.stderr.write(`${explainStart(error)}\n`)
  process.exitCode = 1
}

if (settings !== null) {
  const given = settings
  const log = createLogger({ level: given.config.logLevel, service: 'api' })
  await runService({
    log,
    stopLimitMs: given.config.stopTimeoutMs,
    start: () => startDistributed(given, log),
  })
}

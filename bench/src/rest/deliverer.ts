import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readProcessSettings } from '@postrider/config'
import { startDeliveryProcess } from '@postrider/delivery'
import { createLogger } from '@postrider/telemetry'
import { serve } from '../child.ts'

/** A deliverer as it is deployed, and the memory that it holds when there is nothing to do. */
const QUIET_MS = 3000

let running: { stop(): Promise<void> } | null = null

serve({
  start: async () => {
    const log = createLogger({ level: 'warn', service: 'bench' })
    const settings = readProcessSettings({ mode: 'delivery' })
    running = await startDeliveryProcess(settings, log, new AbortController().signal)
  },
  stop: async () => running?.stop(),
  /** The resident set in bytes, with all garbage collected that nobody made lately. */
  rest: async () => {
    setFlagsFromString('--expose_gc')
    const collect = runInNewContext('gc') as () => void
    collect()
    await pause(QUIET_MS)
    collect()
    await pause(QUIET_MS)
    return process.memoryUsage().rss
  },
})

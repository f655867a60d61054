import { startApiProcess } from '@postrider/api'
import { readProcessSettings } from '@postrider/config'
import { startDeliveryProcess } from '@postrider/delivery'
import { createLogger } from '@postrider/telemetry'
import { cpuUs, serve } from './child.ts'

/**
 * The api or the deliverer as it is deployed, with its CPU time. It can be started and stopped several
 * times, so that the code that is measured has run before.
 */
const log = createLogger({ level: 'warn', service: 'bench' })
let running: { readonly port: number; stop(): Promise<void> } | null = null

serve({
  startApi: async () => {
    running = await startApiProcess(readProcessSettings({ mode: 'api' }), log)
    return running.port
  },
  startDelivery: async () => {
    const settings = readProcessSettings({ mode: 'delivery' })
    running = await startDeliveryProcess(settings, log, new AbortController().signal)
    return running.port
  },
  stop: async () => {
    await running?.stop()
    running = null
  },
  cpu: () => cpuUs(),
  memory: () => process.memoryUsage().rss,
})

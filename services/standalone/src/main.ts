import { readProcessSettings, type Settings } from '@postrider/config'
import { createLogger, explainStart, runService } from '@postrider/telemetry'
import { startStandalone } from './context.ts'
import { keptSecrets } from './kept-secrets.ts'
import { welcome } from './welcome.ts'

let settings: Settings | null = null
let apiKey: string | null = null
try {
  settings = readProcessSettings({
    mode: 'standalone',
    keptSecrets: (dataDir) => {
      const kept = keptSecrets(dataDir)
      apiKey = kept.apiKeys[0] ?? null
      return kept
    },
  })
} catch (error) {
  process.stderr.write(`${explainStart(error)}\n`)
  process.exitCode = 1
}

if (settings !== null) {
  const { config, secrets, urls } = settings
  const log = createLogger({ level: config.logLevel, service: 'standalone' })
  await runService({
    log,
    stopLimitMs: config.stopTimeoutMs + 15_000,
    start: async (signal) => {
      const service = await startStandalone({
        settings: { config, secrets, urls },
        log,
        signal,
        progress: (step) => process.stdout.write(`postrider: ${step}\n`),
      })
      const isKept = apiKey !== null && secrets.apiKeys.includes(apiKey)
      process.stdout.write(
        welcome({
          url: service.url,
          apiKey: isKept ? apiKey : null,
          mode: config.destinations.webhook.mode,
          isHttpsOnly: config.destinations.webhook.httpsOnly,
          topic: config.api.topics[0] ?? 'user.created',
          opensLoopback: config.destinations.allowedNetworks.some((network) =>
            network.startsWith('127.'),
          ),
        }),
      )
      return service
    },
  })
}

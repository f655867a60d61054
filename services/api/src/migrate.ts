import { readProcessSettings } from '@postrider/config'
import { migrate, openStore } from '@postrider/store'
import { createLogger, explainStart } from '@postrider/telemetry'

/** Brings the schema of POSTGRES_URL up to date, says what it did, and ends: 0 when all is done. */
try {
  const { config, secrets, urls } = readProcessSettings({ mode: 'migrate' })
  const log = createLogger({ level: config.logLevel, service: 'migrate' })
  const { encryptionSecrets } = secrets
  const url = urls.postgres ?? ''
  const store = openStore({ url, applicationName: 'postrider migrate', encryptionSecrets, log })
  try {
    const applied = await migrate(store.pools.query)
    if (applied.length === 0) log.info('the schema is up to date')
    for (const name of applied) log.info('migration applied', { name })
  } finally {
    await store.close()
  }
} catch (error) {
  process.stderr.write(`${explainStart(error)}\n`)
  process.exitCode = 1
}

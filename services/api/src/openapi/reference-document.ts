import { InProcessJobQueue } from '@postrider/broker'
import { type Log, VERSION } from '@postrider/common'
import { readSettings } from '@postrider/config'
import { createRegistry } from '@postrider/destinations'
import { InProcessState } from '@postrider/state'
import { openStore } from '@postrider/store'
import { createApi } from '../context.ts'

/**
 * The OpenAPI document of an api with default settings, as the text of docs/openapi.json. The api is put
 * together for it, and never started: nothing is connected to.
 */
export async function referenceDocument(): Promise<string> {
  const { config, secrets } = readSettings(NO_SECRETS, { mode: 'standalone' })
  const { encryptionSecrets } = secrets
  const url = 'postgres://nowhere.invalid/none'
  const store = openStore({ url, applicationName: 'none', encryptionSecrets, log })
  const jobs = new InProcessJobQueue({ log })
  const state = new InProcessState({ limits: config.runway, log })
  const registry = createRegistry({ ...config.destinations, version: VERSION, log })
  const api = createApi({ config, secrets, store, jobs, state, registry, log })
  for (const part of [api, jobs, state]) await part.stop()
  await store.close()
  return `${JSON.stringify(api.document, null, 2)}\n`
}

const NO_SECRETS = {
  API_KEY: 'of-an-api-that-never-starts',
  API_JWT_SECRET: 'of an api that is never started at all',
  AES_ENCRYPTION_SECRET: 'of an api that is never started at all',
}

const nothing = (): void => undefined
const log: Log = { error: nothing, warn: nothing, info: nothing, debug: nothing }

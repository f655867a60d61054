import { createTestDatabase, silentLog } from '@postrider/testkit'
import { startStandalone } from '../../src/index.ts'
import { Client } from '../client.ts'
import { API_KEY, standaloneSettings } from '../settings.ts'

/** The whole service, on a database of its own. */
export interface TypeService extends AsyncDisposable {
  readonly client: Client
}

/** Starts it with short times, so that failures and retries are soon seen; whoever starts it ends it. */
export async function startTypeService(
  env: Readonly<Record<string, string>> = {},
): Promise<TypeService> {
  const database = await createTestDatabase()
  const service = await startStandalone({
    settings: standaloneSettings({
      POSTGRES_URL: database.url,
      DELIVERY_TIMEOUT_SECONDS: '1.5',
      OUTCOME_GRACE_SECONDS: '1',
      LEASE_SECONDS: '12',
      RETRY_SCHEDULE: '0.3,0.6,1,1,1,1',
      ...env,
    }),
    log: silentLog,
    signal: new AbortController().signal,
    progress: () => undefined,
  })
  return {
    client: new Client(service.url, API_KEY),
    [Symbol.asyncDispose]: async () => {
      await service.stop()
      await database[Symbol.asyncDispose]()
    },
  }
}

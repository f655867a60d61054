import { readSettings, type Settings } from '@postrider/config'
import { RETRY_SCHEDULE } from './whole-flow.ts'

export const API_KEY = 'a-key-for-tests-only'

/** Settings of a service under test: any free ports, loopback allowed, the suite's schedule. */
export function testSettings(
  mode: 'api' | 'delivery' | 'standalone',
  env: Readonly<Record<string, string>>,
): Settings {
  return readSettings(
    {
      API_HOST: '127.0.0.1',
      API_PORT: '0',
      DELIVERY_PORT: '0',
      API_KEY,
      API_JWT_SECRET: 'a secret of at least thirty-two characters',
      AES_ENCRYPTION_SECRET: 'another one of at least thirty-two characters',
      DESTINATIONS_ALLOWED_NETWORKS: '127.0.0.0/8',
      RETRY_SCHEDULE,
      LOG_LEVEL: 'error',
      ...env,
    },
    { mode },
  )
}

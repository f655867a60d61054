import { readSettings, type Settings } from '@postrider/config'
import { RETRY_SCHEDULE } from './whole-flow.ts'

export const API_KEY = 'a-key-for-tests-only'

/**
 * Short leases, so that a test sees them end. A deliverer holds at most 64 jobs and sends at most 8 of
 * them at once, so that jobs wait everywhere: in the queue, in the deliverer, at the receiver.
 */
export const SHORT_LEASES = {
  LEASE_SECONDS: '6',
  DELIVERY_TIMEOUT_SECONDS: '1',
  OUTCOME_GRACE_SECONDS: '0.5',
  RETRY_SCHEDULE: '0.2,0.5,1,2',
  DELIVERY_WINDOW: '64',
  DESTINATION_MAX_IN_FLIGHT: '8',
}

/** The environment of a service under test: any free ports, loopback allowed, the suite's schedule. */
export function testEnvironment(
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return {
    API_HOST: '127.0.0.1',
    API_PORT: '0',
    DELIVERY_PORT: '0',
    API_KEY,
    API_JWT_SECRET: 'a secret of at least thirty-two characters',
    AES_ENCRYPTION_SECRET: 'another one of at least thirty-two characters',
    DESTINATIONS_ALLOWED_NETWORKS: '127.0.0.0/8',
    RETRY_SCHEDULE,
    ...env,
  }
}

/** The same as settings, for a service that runs within the test. */
export function standaloneSettings(env: Readonly<Record<string, string>>): Settings {
  return readSettings(testEnvironment(env), { mode: 'standalone' })
}

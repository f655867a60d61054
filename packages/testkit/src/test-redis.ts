import { randomUUID } from 'node:crypto'
import { testServerUrl, workerNumber } from './test-urls.ts'

export interface TestRedis {
  /** Of a database that only this jest worker uses: tests that know nothing of prefixes can share it. */
  readonly url: string
  /** Never used before: tests that do know of prefixes share nothing with anybody. */
  readonly keyPrefix: string
}

/** Database 0 is left to people. */
const TEST_DATABASES = 15

/** A place of one's own in REDIS_URL. There is nothing to give back: what is written there expires. */
export function testRedis(): TestRedis {
  const url = new URL(testServerUrl('REDIS_URL'))
  url.pathname = `/${((workerNumber() - 1) % TEST_DATABASES) + 1}`
  return { url: url.href, keyPrefix: `test-${randomUUID()}` }
}

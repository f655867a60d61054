import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSettings } from '@postrider/config'
import { startStandalone } from '@postrider/standalone'
import { silentLog } from '@postrider/testkit'
import { ApiCallError } from '../src/demo/api-client.ts'
import type { GivenPostrider } from '../src/demo/options.ts'
import { startOwnPostrider } from '../src/demo/own-postrider.ts'
import { runDemo } from '../src/demo/run-demo.ts'

const signal = new AbortController().signal
const say = (): void => undefined

async function tenantsOf({ url, apiKey }: GivenPostrider): Promise<unknown> {
  const headers = { authorization: `Bearer ${apiKey}` }
  return await (await fetch(`${url}/api/v1/tenants`, { headers })).json()
}

async function demoDirectories(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('postrider-demo-'))
}

describe('npm run demo', () => {
  it('publishes GitHub payloads and ends with all of them delivered, signed and recorded', async () => {
    const before = await demoDirectories()
    const lines: string[] = []
    const result = await runDemo({ given: null, say: (line) => lines.push(line), signal })
    expect(result).toEqual({
      events: 26,
      topics: 6,
      deliveries: 37,
      // 29 at once, 6 at the third try, 2 at the second, by hand.
      attempts: 29 + 6 * 3 + 2 * 2,
      retried: 6,
      retriedByHand: 2,
      failed: 0,
      signaturesValid: 51,
      signaturesNotValid: 0,
      problems: [],
    })
    expect(lines.filter((line) => line.startsWith('delivered'))).toHaveLength(37)
    expect(await demoDirectories()).toEqual(before)
  })

  it('uses a Postrider that runs already, and leaves nothing in it', async () => {
    const postrider = await startOwnPostrider(say, signal)
    try {
      const result = await runDemo({ given: postrider, say, signal })
      expect(result).toMatchObject({
        events: 26,
        attempts: 45,
        retried: 6,
        failed: 0,
        problems: [],
      })
      expect(await tenantsOf(postrider)).toMatchObject({ models: [] })
    } finally {
      await postrider.stop()
    }
  })

  it('says why it cannot go on', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'postrider-closed-'))
    const apiKey = 'a-key-for-tests-only'
    const closed = await startStandalone({
      settings: readSettings(
        {
          DATA_DIR: dataDir,
          API_PORT: '0',
          API_KEY: apiKey,
          API_JWT_SECRET: 'a secret of at least thirty-two characters',
          AES_ENCRYPTION_SECRET: 'another one of at least thirty-two characters',
          DESTINATIONS_ALLOWED_NETWORKS: '',
        },
        { mode: 'standalone' },
      ),
      log: silentLog,
      signal,
      progress: say,
    })
    try {
      const given = { url: closed.url, apiKey }
      const blocked = await runDemo({ given, say, signal }).catch((error: unknown) => error)
      expect(blocked).toBeInstanceOf(ApiCallError)
      expect(blocked).toMatchObject({
        message: expect.stringMatching(
          /config\.url points to an address that is not allowed$/,
        ) as unknown,
      })
      expect(await tenantsOf(given)).toMatchObject({ models: [] })
      const stranger = { url: closed.url, apiKey: 'another' }
      const refused = await runDemo({ given: stranger, say, signal }).catch(
        (error: unknown) => error,
      )
      expect(refused).toBeInstanceOf(ApiCallError)
      expect(refused).toMatchObject({
        message: expect.stringMatching(/^PUT \/tenants\/demo-\w+: a valid "Author/) as unknown,
      })
    } finally {
      await closed.stop()
      await rm(dataDir, { recursive: true })
    }
  })
})

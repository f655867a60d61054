import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase, freePort, startReceiver, waitFor } from '@postrider/testkit'
import { Client } from './client.ts'
import { startProcess } from './processes.ts'
import { API_KEY, testEnvironment } from './settings.ts'

/** Whatever only a sender of these types needs, by the folders of its packages. */
const SDKS: readonly string[] = [
  '@aws-sdk/',
  '@smithy/',
  '@azure/',
  'rhea',
  '@google-cloud/',
  'google-gax',
  '@grpc/',
]

/** What every deliverer needs, so that a test finds out when nothing is recorded. */
const HTTP = 'undici/'

/** A destination of each type that brings an SDK; nobody listens at `port`. */
function cloudDestinations(port: number): readonly object[] {
  const endpoint = `http://127.0.0.1:${port}`
  const credentials = { key: 'AKIAEXAMPLE', secret: 'an-example' }
  const region = 'eu-west-1'
  return [
    {
      type: 'cloud_a_queue',
      config: { queue_url: `${endpoint}/123456789012/orders`, region, endpoint },
      credentials,
    },
    { type: 'cloud_a_stream', config: { stream_name: 's', region, endpoint }, credentials },
    { type: 'cloud_a_storage', config: { bucket: 'a-bucket', region, endpoint }, credentials },
    {
      type: 'cloud_b_bus',
      config: { name: 'orders' },
      credentials: {
        connection_string: `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=Root;SharedAccessKey=c2VjcmV0;UseDevelopmentEmulator=true`,
      },
    },
    { type: 'cloud_c_topic', config: { project_id: 'project', topic: 'orders', endpoint } },
  ]
}

/** Delivers to some destinations, and tells which packages of the SDKs were read for it. */
async function sdksReadFor(destinations: readonly object[]): Promise<ReadonlySet<string>> {
  await using database = await createTestDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'postrider-parsed-'))
  const path = join(folder, 'urls')
  const preload = new URL('record-parsed.mjs', import.meta.url)
  preload.searchParams.set('to', path)
  const service = await startProcess('standalone', {
    ...testEnvironment({ POSTGRES_URL: database.url, RETRY_SCHEDULE: '3600' }),
    NODE_OPTIONS: `--import ${preload.href}`,
  })
  try {
    const client = new Client(service.url, API_KEY)
    await client.createTenant('acme')
    for (const destination of destinations) {
      const answer = await client.call('POST', '/tenants/acme/destinations', {
        topics: ['*'],
        ...destination,
      })
      if (answer.status !== 201) throw new Error(answer.text)
    }
    await client.publish({ tenant_id: 'acme', id: 'e1', topic: 'order', data: { n: 1 } })
    await waitFor(
      async () => (await client.attempts('acme', 'e1')).length === destinations.length,
      { what: 'an attempt for each destination', deadlineMs: 30_000 },
    )
    await service.stop()
    const urls = readFileSync(path, 'utf8').split('\n')
    return new Set(
      [HTTP, ...SDKS].filter((name) => urls.some((url) => url.includes(`/node_modules/${name}`))),
    )
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true })
  }
}

describe('the SDKs of the clouds', () => {
  it('are not read at all before a destination of their type is sent to', async () => {
    const receiver = await startReceiver()
    const read = await sdksReadFor([{ type: 'webhook', config: { url: receiver.url } }])
    await receiver.stop()

    expect(receiver.requests).toHaveLength(1)
    expect([...read]).toEqual([HTTP])
  })

  it('are read when one is', async () => {
    const read = await sdksReadFor(cloudDestinations(await freePort()))

    expect([...read]).toEqual([HTTP, ...SDKS])
  })
})

import {
  createTestDatabase,
  type ReceivedRequest,
  type Receiver,
  silentLog,
  startReceiver,
  type TestDatabase,
  waitFor,
} from '@postrider/testkit'
import { createStandardVerifier, type PublicJwks, type Verifier } from '@postrider/verify'
import { type Standalone, startStandalone } from '../src/index.ts'
import { Client } from './client.ts'
import { API_KEY, standaloneSettings } from './settings.ts'

const TENANT = 'acme'

describe('a receiver that knows nothing but the public keys', () => {
  let database: TestDatabase
  let service: Standalone
  let receiver: Receiver
  let client: Client

  beforeAll(async () => {
    database = await createTestDatabase()
    receiver = await startReceiver({ idHeader: 'webhook-id' })
    service = await startStandalone({
      settings: standaloneSettings({
        POSTGRES_URL: database.url,
        DESTINATIONS_WEBHOOK_MODE: 'standard',
        DESTINATIONS_WEBHOOK_SIGNING: 'ed25519',
      }),
      log: silentLog,
      signal: new AbortController().signal,
      progress: () => undefined,
    })
    client = new Client(service.url, API_KEY)
    await client.createTenant(TENANT)
    await client.createWebhook(TENANT, receiver.url)
  })

  afterAll(async () => {
    await receiver.stop()
    await service.stop()
    await database[Symbol.asyncDispose]()
  })

  /** What a receiver does, with no right to call the API. */
  const loadVerifier = async (): Promise<Verifier<unknown>> => {
    const response = await fetch(`${service.url}/api/v1/tenants/${TENANT}/jwks.json`)
    return createStandardVerifier({ publicKeys: (await response.json()) as PublicJwks })
  }

  const deliverNext = async (): Promise<ReceivedRequest> => {
    const { id } = await client.publish({ tenant_id: TENANT, data: { n: 1 } })
    return await waitFor(() => receiver.requests.find(({ eventId }) => eventId === id), {
      what: 'the event to arrive',
    })
  }

  const rotate = async (body?: object): Promise<void> => {
    const { status } = await client.call('POST', `/tenants/${TENANT}/signing-keys/rotate`, body)
    expect(status).toBe(200)
  }

  it('verifies every request through a rotation, with the set from before it and that from after', async () => {
    const before = await loadVerifier()
    expect(await isVerified(before, await deliverNext())).toBe(true)

    await rotate()
    const after = await loadVerifier()
    const request = await deliverNext()

    expect(await isVerified(before, request)).toBe(true)
    expect(await isVerified(after, request)).toBe(true)
  })

  it('needs the new set once the keys before it are revoked', async () => {
    const before = await loadVerifier()
    await rotate({ previous_key_invalid_at: '2026-01-01T00:00:00Z' })
    const request = await deliverNext()

    expect(await isVerified(before, request)).toBe(false)
    expect(await isVerified(await loadVerifier(), request)).toBe(true)
  })
})

async function isVerified(
  verifier: Verifier<unknown>,
  { headers, body }: ReceivedRequest,
): Promise<boolean> {
  return await verifier.verify({ headers, body }).then(
    () => true,
    () => false,
  )
}

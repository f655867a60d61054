import type { DeliveryDestination, StringMap } from '@postrider/common'
import { readSettings } from '@postrider/config'
import { createRegistry, type Sender } from '@postrider/destinations'
import { type ReceivedRequest, type Receiver, silentLog, startReceiver } from '@postrider/testkit'
import { createVerifier, type VerifierOptions } from '@postrider/verify'
import { outcomeOf } from './outcome.ts'

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
const ROTATED = {
  secret: SECRET,
  previous_secret: 'whsec_previous',
  previous_secret_invalid_at: '2030-01-01T00:00:00.000Z',
}
const EVENT_TIME_MS = 1_700_000_000_999

const SERVICE = {
  API_KEY: 'key-of-16-letters',
  API_JWT_SECRET: 'j'.repeat(32),
  AES_ENCRYPTION_SECRET: 'e'.repeat(32),
  DESTINATIONS_ALLOWED_NETWORKS: '127.0.0.0/8',
}

/** A sender as an operator's variables make it. */
function createSender(variables: StringMap): Sender {
  const { destinations } = readSettings({ ...SERVICE, ...variables }, { mode: 'standalone' }).config
  const { webhook, allowedNetworks } = destinations
  const registry = createRegistry({ webhook, allowedNetworks, version: 'test', log: silentLog })
  const type = registry.get('webhook')
  if (type === undefined) throw new Error('there are no webhooks')
  return type.createSender()
}

function destination(url: string, credentials: StringMap): DeliveryDestination {
  return {
    uid: '0192f5c3-a1b2-7abc-8def-0123456789ab',
    id: 'des_1',
    tenantUid: '0192f5c3-a1b2-7abc-8def-0123456789ac',
    tenantId: 'acme',
    type: 'webhook',
    version: 1,
    config: { url },
    credentials,
    deliveryMetadata: {},
    topics: ['*'],
    isDisabled: false,
  }
}

describe('what Postrider sends', () => {
  let receiver: Receiver

  beforeEach(async () => {
    receiver = await startReceiver()
  })

  afterEach(() => receiver.stop())

  /** Sends one event under these variables and returns the request that arrived. */
  async function send(
    variables: StringMap = {},
    credentials: StringMap = { secret: SECRET },
  ): Promise<ReceivedRequest> {
    const sender = createSender(variables)
    try {
      await sender.send({
        destination: destination(receiver.url, credentials),
        eventId: 'evt_1.2',
        topic: 'user.created',
        timeMs: EVENT_TIME_MS,
        attemptTimeMs: EVENT_TIME_MS + 600_000,
        metadata: { source: 'naïve' },
        data: Buffer.from(String.raw`{"n":12345678901234567890,"f":1.10,"u":"\u00e9é"}`),
        timeoutMs: 5000,
      })
    } finally {
      await sender.stop()
    }
    const [request] = receiver.requests
    if (request === undefined) throw new Error('nothing arrived')
    return request
  }

  it('in default mode is verified', async () => {
    const request = await send()
    await expect(createVerifier({ secrets: SECRET }).verify(request)).resolves.toEqual({
      timestamp: 1_700_000_000,
      unsigned: { id: 'evt_1.2', topic: 'user.created' },
    })
  })

  it.each<[StringMap, Omit<VerifierOptions, 'secrets'>]>([
    [{ DESTINATIONS_WEBHOOK_SIGNATURE_ALGORITHM: 'hmac-sha1' }, { algorithm: 'hmac-sha1' }],
    [{ DESTINATIONS_WEBHOOK_SIGNATURE_ALGORITHM: 'hmac-sha512' }, { algorithm: 'hmac-sha512' }],
    [{ DESTINATIONS_WEBHOOK_SIGNATURE_ENCODING: 'base64' }, { encoding: 'base64' }],
    [{ DESTINATIONS_WEBHOOK_HEADER_PREFIX: 'X-Acme-' }, { headerPrefix: 'X-Acme-' }],
    [{ DESTINATIONS_WEBHOOK_TIMESTAMP_SOURCE: 'attempt' }, {}],
    [{ DESTINATIONS_WEBHOOK_DISABLE_TIMESTAMP_HEADER: 'true' }, {}],
  ])('under %j is verified', async (variables, options) => {
    const verifier = createVerifier({ secrets: SECRET, ...options })
    expect(await outcomeOf(verifier, await send(variables))).toBe('accepted')
  })

  it('during a rotation is verified with either secret', async () => {
    const request = await send({}, ROTATED)
    const outcomes = [SECRET, 'whsec_previous', 'whsec_other'].map((secrets) =>
      outcomeOf(createVerifier({ secrets }), request),
    )
    expect(await Promise.all(outcomes)).toEqual(['accepted', 'accepted', 'no_match'])
  })
})

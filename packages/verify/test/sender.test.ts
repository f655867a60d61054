import { generateKeyPairSync } from 'node:crypto'
import type { DeliveryDestination, SigningKey, StringMap } from '@postrider/common'
import { readSettings } from '@postrider/config'
import { createRegistry, type Sender } from '@postrider/destinations'
import { type ReceivedRequest, type Receiver, silentLog, startReceiver } from '@postrider/testkit'
import { createStandardVerifier, createVerifier, type VerifierOptions } from '@postrider/verify'
import { outcomeOf } from './outcome.ts'

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
const PREVIOUS = 'whsec_b2xkZXItc2VjcmV0LW9sZGVyLXNlY3JldC1vbGRlcg=='
const ROTATED = {
  secret: SECRET,
  previous_secret: PREVIOUS,
  previous_secret_invalid_at: '2030-01-01T00:00:00.000Z',
}
const EVENT_TIME_MS = 1_700_000_000_999
const ATTEMPT_TIME_MS = EVENT_TIME_MS + 600_000

const SERVICE = {
  API_KEY: 'key-of-16-letters',
  API_JWT_SECRET: 'j'.repeat(32),
  AES_ENCRYPTION_SECRET: 'e'.repeat(32),
  DESTINATIONS_ALLOWED_NETWORKS: '127.0.0.0/8',
}

/** What a destination signs with; the secret alone unless told otherwise. */
interface Keys {
  readonly credentials?: StringMap
  readonly signingKeys?: readonly SigningKey[]
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

function destination(
  url: string,
  { credentials = { secret: SECRET }, signingKeys = [] }: Keys,
): DeliveryDestination {
  return {
    uid: '0192f5c3-a1b2-7abc-8def-0123456789ab',
    id: 'des_1',
    tenantUid: '0192f5c3-a1b2-7abc-8def-0123456789ac',
    tenantId: 'acme',
    type: 'webhook',
    version: 1,
    config: { url },
    credentials,
    signingKeys,
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
  async function send(variables: StringMap = {}, keys: Keys = {}): Promise<ReceivedRequest> {
    const sender = createSender(variables)
    try {
      await sender.send({
        destination: destination(receiver.url, keys),
        eventId: 'evt_1.2',
        topic: 'user.created',
        timeMs: EVENT_TIME_MS,
        attemptTimeMs: ATTEMPT_TIME_MS,
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
    const request = await send({}, { credentials: ROTATED })
    const outcomes = [SECRET, PREVIOUS, 'whsec_other'].map((secrets) =>
      outcomeOf(createVerifier({ secrets }), request),
    )
    expect(await Promise.all(outcomes)).toEqual(['accepted', 'accepted', 'no_match'])
  })

  describe('in standard mode', () => {
    const standard = { DESTINATIONS_WEBHOOK_MODE: 'standard' }
    const ed25519 = { ...standard, DESTINATIONS_WEBHOOK_SIGNING: 'ed25519' }

    it('is verified, and not later than the tolerance allows', async () => {
      const request = await send(standard)
      const verifierAt = (ageMs: number) =>
        createStandardVerifier({ secrets: SECRET, nowMs: () => ATTEMPT_TIME_MS + ageMs })
      await expect(verifierAt(0).verify(request)).resolves.toEqual({
        id: 'evt_1.2',
        timestamp: Math.floor(ATTEMPT_TIME_MS / 1000),
        unsigned: { topic: 'user.created' },
      })
      expect(await outcomeOf(verifierAt(300_000), request)).toBe('accepted')
      expect(await outcomeOf(verifierAt(301_000), request)).toBe('timestamp_too_old')
    })

    it('during a rotation is verified with either secret', async () => {
      const request = await send(standard, { credentials: ROTATED })
      const outcomes = [SECRET, PREVIOUS, 'whsec_AAAA'].map((secrets) =>
        outcomeOf(createStandardVerifier({ secrets, toleranceSeconds: null }), request),
      )
      expect(await Promise.all(outcomes)).toEqual(['accepted', 'accepted', 'no_match'])
    })

    it('is verified with a secret from before, by the bytes of its text', async () => {
      const request = await send(standard, { credentials: { secret: 'first-delivery' } })
      const secrets = new TextEncoder().encode('first-delivery')
      const verifier = createStandardVerifier({ secrets, toleranceSeconds: null })
      expect(await outcomeOf(verifier, request)).toBe('accepted')
    })

    it('is verified with the current and the previous public key, and with the secret', async () => {
      const [current, previous, other] = [keyPair('1'), keyPair('2'), keyPair('3')]
      const signingKeys = [
        { ...current.signing, invalidAtMs: null },
        { ...previous.signing, invalidAtMs: ATTEMPT_TIME_MS + 1 },
        { ...other.signing, invalidAtMs: ATTEMPT_TIME_MS },
      ]
      const request = await send(ed25519, { signingKeys })
      const outcomes = [
        { publicKeys: { keys: [current.jwk] } },
        { publicKeys: previous.jwk },
        { publicKeys: other.jwk },
        { secrets: SECRET },
      ].map((keys) =>
        outcomeOf(createStandardVerifier({ ...keys, toleranceSeconds: null }), request),
      )
      expect(await Promise.all(outcomes)).toEqual(['accepted', 'accepted', 'no_match', 'accepted'])
    })
  })
})

function keyPair(kid: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  return {
    signing: { kid, privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }) },
    jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' },
  }
}

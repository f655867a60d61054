import { createHmac, generateKeyPairSync, verify } from 'node:crypto'
import type { DeliveryDestination } from '@postrider/common'
import {
  type ReceivedRequest,
  type Receiver,
  startReceiver,
  verifySignature,
} from '@postrider/testkit'
import { Webhook } from 'standardwebhooks'
import type { SendRequest } from '../src/destination-type.ts'
import { settleWebhookCredentials } from '../src/webhook/credentials.ts'
import type { WebhookSettings } from '../src/webhook/settings.ts'
import { DATA, SECRET, sendRequest, webhookDestination, webhookSender } from './factories.ts'

const STANDARD = { mode: 'standard', headerPrefix: 'webhook-', timestampSource: 'attempt' } as const
const HOUR_MS = 3_600_000

/** Whether the library of Standard Webhooks takes a request from a sender with this secret. */
function isVerified({ headers, body }: ReceivedRequest, webhook: Webhook): boolean {
  try {
    webhook.verify(
      body,
      Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, String(v)])),
    )
    return true
  } catch {
    return false
  }
}

describe('what a receiver gets', () => {
  let receiver: Receiver

  beforeEach(async () => {
    receiver = await startReceiver()
  })

  afterEach(() => receiver.stop())

  /** Sends events one after the other, each a change of the usual one; returns what arrived. */
  async function send(
    settings: Partial<WebhookSettings>,
    destination: Partial<DeliveryDestination>,
    ...events: Partial<SendRequest>[]
  ): Promise<readonly ReceivedRequest[]> {
    const sender = webhookSender({ settings })
    const target = webhookDestination(receiver.url, destination)
    // The library looks at the clock of this machine.
    const attemptTimeMs = Date.now()
    try {
      for (const event of events) {
        const result = await sender.send(sendRequest(target, { attemptTimeMs, ...event }))
        expect(result.code).toBe('200')
      }
    } finally {
      await sender.stop()
    }
    return receiver.requests
  }

  describe('in standard mode', () => {
    it('is what the library of Standard Webhooks verifies, and nothing that was changed', async () => {
      const [request] = await send(
        STANDARD,
        {},
        { topic: 'user.created', metadata: { Tier: 'gold' } },
      )
      const webhook = new Webhook(SECRET)

      expect(request?.body.equals(DATA)).toBe(true)
      expect(request?.headers).toMatchObject({
        'webhook-id': 'evt_1',
        'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
        'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
        'webhook-topic': 'user.created',
        'webhook-tier': 'gold',
      })
      const verified = [
        request,
        request && { ...request, body: Buffer.concat([DATA, Buffer.from(' ')]) },
        request && { ...request, headers: { ...request.headers, 'webhook-id': 'evt_2' } },
      ].map((each) => each !== undefined && isVerified(each, webhook))
      expect(verified).toEqual([true, false, false])
    })

    it('is verified with both secrets while one is rotated, and with the new one only after', async () => {
      const nowMs = Date.now()
      const windowEndMs = nowMs + HOUR_MS
      const settled = settleWebhookCredentials(
        {
          stored: { secret: SECRET },
          patch: {
            rotate_secret: 'true',
            previous_secret_invalid_at: new Date(windowEndMs).toISOString(),
          },
          byTenant: true,
          nowMs,
        },
        'standard',
      )
      const credentials = settled.kind === 'settled' ? settled.credentials : {}
      const requests = await send(
        // The event's time stays that of this machine while the attempts' time goes on.
        { ...STANDARD, timestampSource: 'event' },
        { credentials },
        ...[nowMs, windowEndMs - 1, windowEndMs].map((attemptTimeMs) => ({
          timeMs: nowMs,
          attemptTimeMs,
        })),
      )

      const libraries = [new Webhook(credentials['secret'] ?? ''), new Webhook(SECRET)]
      expect(requests.map((each) => libraries.map((webhook) => isVerified(each, webhook)))).toEqual(
        [
          [true, true],
          [true, true],
          [true, false],
        ],
      )
    })

    it('is verified as raw with a secret from before that mode', async () => {
      const [request] = await send(STANDARD, { credentials: { secret: 'first-delivery' } }, {})

      expect(request && isVerified(request, new Webhook('first-delivery', { format: 'raw' }))).toBe(
        true,
      )
    })

    it('has the topic of the event’s metadata in place of the service’s, and of nothing else', async () => {
      const others = {
        config: { url: receiver.url, custom_headers: '{"webhook-topic":"custom"}' },
        deliveryMetadata: { topic: 'delivery' },
      }
      const requests = await send(STANDARD, others, { metadata: { Topic: 'event' } }, {})
      await send(
        { ...STANDARD, disableTopicHeader: true },
        others,
        { metadata: { TOPIC: 'event' } },
        {},
      )
      await send({}, others, { metadata: { topic: 'event' } })

      expect(requests.map(({ headers }) => headers['webhook-topic'])).toEqual([
        'event',
        'user.created',
        'event',
        undefined,
        'custom',
      ])
      expect(requests.at(-1)?.headers['x-service-topic']).toBe('user.created')
    })

    it('obeys the prefix and the switches for single headers', async () => {
      const [request] = await send(
        {
          ...STANDARD,
          headerPrefix: 'acme-',
          disableEventIdHeader: true,
          disableTopicHeader: true,
        },
        {},
        { metadata: { id: 'forged', tier: 'gold' } },
      )
      const names = Object.keys(request?.headers ?? {}).filter((name) => name.startsWith('acme-'))

      expect(names.toSorted()).toEqual(['acme-signature', 'acme-tier', 'acme-timestamp'])
    })

    it('has a signature that the tenant’s public key verifies, where the operator wants one', async () => {
      const { publicKey, privateKey } = generateKeyPairSync('ed25519')
      const signingKeys = [
        {
          kid: 'a',
          privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }),
          invalidAtMs: null,
        },
      ]
      const [request] = await send({ ...STANDARD, signing: 'ed25519' }, { signingKeys }, {})
      const [, asymmetric = ''] = String(request?.headers['webhook-signature']).split(' v1a,')
      const [id, timestamp] = ['webhook-id', 'webhook-timestamp'].map((name) =>
        String(request?.headers[name]),
      )
      const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), DATA])

      expect(request && isVerified(request, new Webhook(SECRET))).toBe(true)
      expect(verify(null, signed, publicKey, Buffer.from(asymmetric, 'base64'))).toBe(true)
    })

    it('never comes without that signature: a missing key is a fault of ours', async () => {
      const sender = webhookSender({ settings: { ...STANDARD, signing: 'ed25519' } })

      await expect(sender.send(sendRequest(webhookDestination(receiver.url)))).rejects.toThrow(
        'no key in force',
      )
      expect(receiver.connections).toBe(0)
      await sender.stop()
    })
  })

  describe('in default mode', () => {
    it('is verified with every secret whose window is open, and with no other', async () => {
      const credentials = {
        secret: SECRET,
        previous_secret: 'second',
        previous_secret_invalid_at: new Date(2000).toISOString(),
        older_secrets: JSON.stringify([
          { secret: 'third', invalid_at: new Date(1000).toISOString() },
        ]),
      }
      const requests = await send(
        {},
        { credentials },
        ...[999, 1000, 1999, 2000].map((attemptTimeMs) => ({ attemptTimeMs })),
      )

      const verified = requests.map(({ headers, body }) =>
        [SECRET, 'second', 'third', 'other'].map((secret) =>
          verifySignature({ secret, body, header: String(headers['x-service-signature']) }),
        ),
      )
      expect(verified).toEqual([
        [true, true, true, false],
        [true, true, false, false],
        [true, true, false, false],
        [true, false, false, false],
      ])
    })

    it('is signed as GitHub signs when the templates say so', async () => {
      const settings = {
        headerPrefix: 'x-hub-',
        signatureHeaderTemplate: 'sha256={{.Signatures | join ""}}',
      }
      const [request] = await send(settings, {}, {})
      const expected = createHmac('sha256', SECRET).update(DATA).digest('hex')

      expect(request?.headers['x-hub-signature']).toBe(`sha256=${expected}`)
    })
  })
})

import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { createServer } from 'node:http2'
import type { Socket } from 'node:net'
import { v1 } from '@google-cloud/pubsub'
import { credentials, status } from '@grpc/grpc-js'
import type { DeliveryDestination, StringMap } from '@postrider/common'
import {
  type FaultProxy,
  freePort,
  type PubSub,
  startFaultProxy,
  startPubSub,
  waitFor,
} from '@postrider/testkit'
import { CloudCTopicSender } from '../src/cloud-c-topic/sender.ts'
import type { Sender, SendRequest, SendResult } from '../src/destination-type.ts'
import { AddressGuard } from '../src/guard/address-guard.ts'
import { DATA, sendRequest, webhookDestination } from './factories.ts'
import { openSender } from './open-sender.ts'
import { listening, tcpServer } from './raw-server.ts'
import { failure, refusal, tooLarge } from './results.ts'
import { UNTRUSTED_TLS } from './tls.ts'

const TOPIC = 'projects/acme-prod/topics/orders'
/** The servers of the tests are there, and `localhost` is nowhere else. */
const IPV4 = { allowedNetworks: ['127.0.0.0/8'] }
const KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** A key file; what a hostile one might add leads nowhere. */
function accountJson(changes: Readonly<Record<string, string>> = {}): string {
  return JSON.stringify({
    type: 'service_account',
    client_email: 'events@acme-prod.iam.gserviceaccount.com',
    private_key: KEYS.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    private_key_id: 'key-1',
    token_uri: 'http://169.254.169.254/token',
    auth_uri: 'http://169.254.169.254/auth',
    client_x509_cert_url: 'http://169.254.169.254/certificate',
    universe_domain: 'evil.test',
    credential_source: { file: '/etc/passwd' },
    ...changes,
  })
}

function accepted(messageId: string): SendResult {
  const response = { head: { message_id: messageId }, body: Buffer.alloc(0), cut: false }
  return { ...failure('accepted'), status: 'success', response }
}

/** Trusts the test's certificate. */
function trustingSender(): Sender {
  const guard = new AddressGuard({ allowedNetworks: ['127.0.0.0/8'] })
  return new CloudCTopicSender({ guard, rootCertificates: Buffer.from(UNTRUSTED_TLS.cert) })
}

function parsed(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}

describe('sender to Pub/Sub', () => {
  let pubSub: PubSub
  let proxy: FaultProxy
  let sender: Sender

  beforeEach(async () => {
    pubSub = await startPubSub({ topics: [TOPIC] })
    proxy = await startFaultProxy({ port: pubSub.port })
    sender = openSender('cloud_c_topic', IPV4)
  })

  afterEach(async () => {
    await sender.stop()
    await proxy.stop()
    await pubSub.stop()
  })

  /** To the test's topic; other than that where the changes say. */
  function destination(
    config: StringMap = {},
    changes: Partial<DeliveryDestination> = {},
  ): DeliveryDestination {
    return webhookDestination('', {
      type: 'cloud_c_topic',
      config: {
        project_id: 'acme-prod',
        topic: 'orders',
        endpoint: `127.0.0.1:${proxy.port}`,
        ...config,
      },
      credentials: {},
      deliveryMetadata: { team: 'billing', source: 'destination' },
      ...changes,
    })
  }

  async function send(
    to: DeliveryDestination = destination(),
    changes: Partial<SendRequest> = {},
  ): Promise<SendResult> {
    return sender.send(sendRequest(to, changes))
  }

  it('publishes the bytes of the data with the metadata as attributes', async () => {
    const metadata = { source: 'event', city: 'Köln 😀', topic: 'forged' }
    expect(await send(destination(), { metadata })).toEqual(accepted('1'))

    const client = new v1.SubscriberClient({
      servicePath: '127.0.0.1',
      port: pubSub.port,
      sslCreds: credentials.createInsecure(),
      // It would ask the environment, and the metadata service of a cloud.
      credentials: { client_email: 'nobody', private_key: 'none' },
    })
    const subscription = 'projects/acme-prod/subscriptions/orders'
    const [{ receivedMessages }] = await client.pull({ subscription, maxMessages: 10 })
    const [received, ...others] = receivedMessages ?? []
    expect(others).toEqual([])
    expect(Buffer.compare(Buffer.from(received?.message?.data ?? ''), DATA)).toBe(0)
    expect(received?.message).toMatchObject({
      messageId: '1',
      attributes: {
        team: 'billing',
        source: 'event',
        city: 'Köln 😀',
        'event-id': 'evt_1',
        topic: 'user.created',
        timestamp: '1700000000',
      },
    })
    await client.close()
  })

  it('lets events that are sent together share calls, and sends one that comes alone at once', async () => {
    const ids = Array.from({ length: 250 }, (_, i) => `evt_${i}`)
    const results = await Promise.all(ids.map((eventId) => send(destination(), { eventId })))

    expect(new Set(results.map(({ code }) => code))).toEqual(new Set(['accepted']))
    const published = pubSub.published.map(({ attributes }) => attributes['event-id'])
    expect(new Set(published)).toEqual(new Set(ids))
    expect(published).toHaveLength(250)
    // They are under way together, in no order.
    expect(new Set(pubSub.calls.map(({ messages }) => messages))).toEqual(new Set([100, 50]))
    expect(pubSub.calls).toHaveLength(3)
    expect(proxy.accepted).toBe(1)

    await send()
    expect(pubSub.calls.at(-1)?.messages).toBe(1)
  })

  it('lets one event that the service does not take fail alone', async () => {
    const wanted = { code: status.INVALID_ARGUMENT, message: 'not this one' }
    // The call of three, its half, and the first message of that.
    pubSub.fail({ kind: 'refuse', ...wanted }, 3)
    const results = await Promise.all(
      ['evt_0', 'evt_1', 'evt_2'].map((eventId) => send(destination(), { eventId })),
    )

    expect(results).toEqual([
      refusal('service_error', 'INVALID_ARGUMENT', 'not this one'),
      accepted('1'),
      accepted('2'),
    ])
  })

  it.each([
    ['UNAUTHENTICATED', 'auth_failed'],
    ['PERMISSION_DENIED', 'access_denied'],
    ['RESOURCE_EXHAUSTED', 'throttled'],
    ['UNAVAILABLE', 'service_error'],
    ['INTERNAL', 'service_error'],
    ['ABORTED', 'service_error'],
  ] as const)('tells of a call that is refused with %s: %s', async (name, code) => {
    pubSub.fail({ kind: 'refuse', code: status[name], message: 'not now' })

    expect(await send()).toEqual(refusal(code, name, 'not now'))
    expect(await send()).toEqual(accepted('1'))
    expect(proxy.accepted).toBe(1)
  })

  it('tells of a topic that is not there', async () => {
    expect(await send(destination({ topic: 'invoices' }))).toEqual(
      refusal('topic_not_found', 'NOT_FOUND', 'Resource not found (resource=invoices).'),
    )
  })

  it('tells of metadata and data that no message can carry, and cuts nothing', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 96 }, (_, i): [string, string] => [`key${i}`, 'x']),
    )
    expect(await send(destination(), { metadata: many })).toEqual(
      tooLarge('a message of Pub/Sub has at most 100 attributes; the metadata has 101 members'),
    )
    expect(await send(destination(), { metadata: { long: 'é'.repeat(513) } })).toEqual(
      tooLarge('an attribute of Pub/Sub has at most 1024 bytes: long'),
    )
    expect(await send(destination(), { metadata: { ['k'.repeat(257)]: '' } })).toEqual(
      tooLarge(`the key of an attribute of Pub/Sub has at most 256 bytes: ${'k'.repeat(256)}…`),
    )
    expect(await send(destination(), { data: Buffer.alloc(10_000_000) })).toEqual(
      tooLarge('a message of Pub/Sub has at most 10000000 bytes'),
    )
    expect(proxy.accepted).toBe(0)
  })

  it('publishes what fits exactly', async () => {
    const metadata = {
      ...Object.fromEntries(
        Array.from({ length: 94 }, (_, i): [string, string] => [`key${i}`, 'x']),
      ),
      ['k'.repeat(256)]: 'é'.repeat(512),
    }
    const data = Buffer.alloc(9_900_000, '1')

    expect(await send(destination(), { metadata, data })).toEqual(accepted('1'))
    expect(Object.keys(pubSub.published[0]?.attributes ?? {})).toHaveLength(100)
  })

  it('tells of settings with which nothing can be sent', async () => {
    expect(await send(destination({ endpoint: 'ftp://x' }))).toEqual(failure('unsendable'))
    const foreign = accountJson({ type: 'external_account' })
    expect(await send(destination({}, { credentials: { service_account_json: foreign } }))).toEqual(
      failure('unsendable'),
    )
  })

  it.each([
    [
      'a connection that is refused',
      async () => `127.0.0.1:${await freePort()}`,
      'connection_refused',
    ],
    ['a name that is not there', async () => 'nowhere.invalid:8085', 'dns_error'],
    ['an address that is not public', async () => '192.168.255.1:8085', 'blocked_address'],
    ['a public address without an account', async () => '93.184.216.34:8085', 'blocked_address'],
  ])('tells of %s', async (_, endpoint, code) => {
    expect(await send(destination({ endpoint: await endpoint() }))).toEqual(failure(code))
  })

  it.each([
    ['ends at once', (socket: Socket) => socket.end(), 'connection_reset'],
    ['is reset', (socket: Socket) => socket.resetAndDestroy(), 'connection_reset'],
    [
      'is no HTTP/2',
      (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      'protocol_error',
    ],
  ])('tells of a connection that %s', async (_, onConnection, code) => {
    const server = tcpServer(onConnection)
    const endpoint = `127.0.0.1:${await listening(server)}`

    expect(await send(destination({ endpoint }))).toEqual(failure(code))
    server.close()
  })

  it('tells of a server that does not speak gRPC, and reads no more of it than an answer has', async () => {
    const server = createServer()
    server.once('stream', (stream) => {
      stream.respond({ ':status': 404 })
      stream.end('no')
    })
    const endpoint = `127.0.0.1:${await listening(server)}`
    expect(await send(destination({ endpoint }))).toEqual(failure('protocol_error'))

    server.once('stream', (stream) => {
      stream.on('error', () => undefined)
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
      // A message that claims to be as long as can be.
      stream.write(Buffer.from([0, 0x7f, 0xff, 0xff, 0xff]))
    })
    expect(await send(destination({ endpoint }))).toEqual(failure('protocol_error'))
    server.close()
  })

  it('gives up in time on a service that never answers, and connects anew', async () => {
    pubSub.fail({ kind: 'hang' })
    const begun = Date.now()
    expect(await send(destination(), { timeoutMs: 300 })).toEqual(failure('timeout'))
    expect(Date.now() - begun).toBeLessThan(300 + 2000)

    expect(await send()).toEqual(accepted('1'))
    expect(proxy.accepted).toBe(2)
    await waitFor(() => proxy.open === 1, { what: 'the hung connection to be closed' })
  })

  it('gives up in time on a server that accepts and says nothing, and lets go of it', async () => {
    let open = 0
    const server = tcpServer((socket) => {
      open += 1
      socket.once('close', () => (open -= 1))
    })
    const endpoint = `127.0.0.1:${await listening(server)}`
    const sending = send(destination({ endpoint }), { timeoutMs: 300 })
    await waitFor(() => open === 1, { what: 'the connection' })

    expect(await sending).toEqual(failure('timeout'))
    await waitFor(() => open === 0, { what: 'the hung connection to be closed' })
    server.close()
  })

  it('keeps a connection on which others are answered while one call is not', async () => {
    pubSub.fail({ kind: 'hang' })
    const hanging = send(destination(), { timeoutMs: 500 })
    await waitFor(() => pubSub.calls.length === 1, { what: 'the call' })
    expect(await send()).toEqual(accepted('1'))

    expect(await hanging).toEqual(failure('timeout'))
    expect(await send()).toEqual(accepted('2'))
    expect(proxy.accepted).toBe(1)
  })

  it.each(['reset', 'end'] as const)(
    'tells of a connection that is lost by %s, and connects anew',
    async (how) => {
      pubSub.fail({ kind: 'hang' })
      const sending = send()
      await waitFor(() => pubSub.calls.length === 1, { what: 'the call' })
      proxy.cutAll(how)

      expect(await sending).toEqual(failure('connection_reset'))
      expect(await send()).toEqual(accepted('1'))
      expect(proxy.accepted).toBe(2)
    },
  )

  it('tells the truth when connections are cut: what it calls accepted has arrived', async () => {
    let resets = 0
    const taken = new Set<string>()
    for (let round = 0; round < 20; round += 1) {
      // The answer to a call begins with the frame of its headers.
      void proxy.cutWhen('up', 'evt_', { forward: round % 2 === 0 })
      const ids = Array.from({ length: 25 }, (_, i) => `evt_${round}_${i}`)
      const results = await Promise.all(ids.map((eventId) => send(destination(), { eventId })))
      for (const [i, { code }] of results.entries()) {
        if (code === 'accepted') taken.add(ids[i] ?? '')
        else resets += 1
      }
      expect((await send()).code).toMatch(/^(?:accepted|connection_reset)$/)
    }

    const arrived = new Set(pubSub.published.map(({ attributes }) => attributes['event-id']))
    expect([...taken].filter((id) => !arrived.has(id))).toEqual([])
    expect(resets).toBeGreaterThan(0)
  })

  it('closes its connections when it stops', async () => {
    await send()
    expect(proxy.open).toBe(1)
    await sender.stop()

    await waitFor(() => proxy.open === 0, { what: 'the connection to be closed' })
  })

  describe('over TLS', () => {
    let secure: PubSub

    beforeEach(async () => {
      secure = await startPubSub({ topics: [TOPIC], tls: UNTRUSTED_TLS })
    })

    afterEach(async () => {
      await secure.stop()
    })

    function account(json: string, changes: Partial<DeliveryDestination> = {}) {
      const endpoint = `https://localhost:${secure.port}`
      const given = { credentials: { service_account_json: json }, ...changes }
      return destination({ endpoint }, given)
    }

    it('trusts no certificate that nobody vouches for', async () => {
      expect(await send(account(accountJson()))).toEqual(failure('tls_error'))
      expect(await send(destination({ endpoint: `https://localhost:${pubSub.port}` }))).toEqual(
        failure('tls_error'),
      )
    })

    it('proves who it is by tokens that it signs itself', async () => {
      sender = trustingSender()
      expect(await send(account(accountJson()))).toEqual(accepted('1'))
      await send(account(accountJson()))

      const [first, second] = secure.calls.map(({ authorization }) => authorization ?? '')
      expect(second).toBe(first)
      const [header = '', claims = '', signature = ''] = (first ?? '')
        .replace(/^Bearer /, '')
        .split('.')
      const nowS = Math.floor(Date.now() / 1000)
      expect(parsed(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' })
      expect(parsed(claims)).toEqual({
        iss: 'events@acme-prod.iam.gserviceaccount.com',
        sub: 'events@acme-prod.iam.gserviceaccount.com',
        scope: 'https://www.googleapis.com/auth/pubsub',
        iat: expect.closeTo(nowS, -2) as number,
        exp: expect.closeTo(nowS + 3600, -2) as number,
      })
      const content = Buffer.from(`${header}.${claims}`)
      expect(
        verify('RSA-SHA256', content, KEYS.publicKey, Buffer.from(signature, 'base64url')),
      ).toBe(true)
    })

    it('signs with the new key as soon as there is one', async () => {
      sender = trustingSender()
      await send(account(accountJson()))
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      await send(account(accountJson({ private_key: key }), { version: 2 }))

      const token = secure.calls.at(-1)?.authorization?.replace(/^Bearer /, '') ?? ''
      const dot = token.lastIndexOf('.')
      expect(
        verify(
          'RSA-SHA256',
          Buffer.from(token.slice(0, dot)),
          createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
          Buffer.from(token.slice(dot + 1), 'base64url'),
        ),
      ).toBe(true)
    })

    it('tells of a key that cannot sign', async () => {
      const cannotRead = { ...failure('auth_failed'), response: expect.anything() as null }
      expect(await send(account(accountJson({ private_key: 'none' })))).toEqual(cannotRead)
      const { privateKey } = generateKeyPairSync('ed25519')
      const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      expect(await send(account(accountJson({ private_key: key }), { version: 2 }))).toEqual(
        cannotRead,
      )
      expect(secure.calls).toEqual([])
    })
  })
})

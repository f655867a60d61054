import { createServer } from 'node:tls'
import { ServiceBusClient } from '@azure/service-bus'
import type { DeliveryDestination } from '@postrider/common'
import { freePort, type ServiceBus, startServiceBus, waitFor } from '@postrider/testkit'
import type { Sender, SendRequest, SendResult } from '../src/destination-type.ts'
import { DATA, sendRequest, webhookDestination } from './factories.ts'
import { openSender } from './open-sender.ts'
import { listening, tcpServer } from './raw-server.ts'
import { failure, refusal, tooLarge } from './results.ts'
import { UNTRUSTED_TLS } from './tls.ts'

const QUEUE = 'orders'
const KEY = 'SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0PQ=='

const ACCEPTED: SendResult = { ...failure('accepted'), status: 'success' }

describe('sender to Service Bus', () => {
  let bus: ServiceBus
  let sender: Sender

  beforeEach(async () => {
    bus = await startServiceBus({ queues: [QUEUE] })
    sender = openSender('cloud_b_bus')
  })

  afterEach(async () => {
    await sender.stop()
    await bus.stop()
  })

  /** To the test's queue; other than that where the changes say. */
  function destination(
    connectionString = bus.connectionString,
    changes: Partial<DeliveryDestination> = {},
  ): DeliveryDestination {
    return webhookDestination('', {
      type: 'cloud_b_bus',
      config: { name: QUEUE },
      credentials: { connection_string: connectionString },
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

  it('sends the bytes of the data with its id and metadata', async () => {
    const metadata = { source: 'event', city: 'Köln 😀', topic: 'forged' }
    expect(await send(destination(), { metadata })).toEqual(ACCEPTED)

    const client = new ServiceBusClient(bus.connectionString)
    const receiver = client.createReceiver(QUEUE, {
      receiveMode: 'receiveAndDelete',
      skipParsingBodyAsJson: true,
    })
    const [message] = await receiver.receiveMessages(1)
    expect(Buffer.compare(message?.body as Buffer, DATA)).toBe(0)
    expect(message).toMatchObject({
      messageId: 'evt_1',
      contentType: 'application/json',
      applicationProperties: {
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

  it('sends messages side by side over one connection', async () => {
    const ids = Array.from({ length: 100 }, (_, i) => `evt_${i}`)
    const results = await Promise.all(ids.map((eventId) => send(destination(), { eventId })))

    expect(results).toEqual(ids.map(() => ACCEPTED))
    expect(bus.received.map((message) => message.messageId).toSorted()).toEqual(ids.toSorted())
    expect(bus.connections).toBe(1)
  })

  it('tells of a queue that is not there', async () => {
    const to = destination(bus.connectionString, { config: { name: 'invoices' } })

    expect(await send(to)).toEqual(
      refusal(
        'queue_not_found',
        'MessagingEntityNotFound',
        "The messaging entity 'invoices' could not be found.",
      ),
    )
  })

  it('tells of a wrong key, and takes the right one of the next version', async () => {
    const wrong = destination(bus.connectionStringWith({ key: 'bm90IGl0' }))
    expect(await send(wrong)).toEqual(
      refusal(
        'auth_failed',
        'UnauthorizedAccess',
        'InvalidSignature: The token has an invalid signature.',
      ),
    )

    expect(await send(destination(bus.connectionString, { version: 2 }))).toEqual(ACCEPTED)
  })

  it('lets sends in flight end with the old key when there is a new one', async () => {
    bus.fail('message', { kind: 'hang' })
    const hanging = send(destination(), { timeoutMs: 300 })
    const others = Array.from({ length: 5 }, () => send())

    expect(await send(destination(bus.connectionString, { version: 2 }))).toEqual(ACCEPTED)
    expect(await Promise.all(others)).toEqual(others.map(() => ACCEPTED))
    expect(await hanging).toEqual(failure('timeout'))
  })

  it('takes a signature in place of a key', async () => {
    const signature = 'SharedAccessSignature sr=a&sig=b&se=1&skn=send'
    const text = `Endpoint=sb://127.0.0.1:${bus.port};SharedAccessSignature=${signature};UseDevelopmentEmulator=true`

    expect(await send(destination(text))).toEqual(
      refusal('auth_failed', 'UnauthorizedAccess', 'ExpiredToken: The token is expired.'),
    )
  })

  it('tells of a policy without the claim to send', async () => {
    const description = "Unauthorized access. 'Send' claim(s) are required."
    bus.fail('link', { kind: 'refuse', condition: 'amqp:unauthorized-access', description })

    expect(await send()).toEqual(refusal('access_denied', 'UnauthorizedAccess', description))
  })

  it.each([
    ['com.microsoft:server-busy', 'throttled', 'ServiceBusy'],
    ['amqp:resource-limit-exceeded', 'quota_exceeded', 'QuotaExceeded'],
    ['amqp:link:message-size-exceeded', 'too_large', 'MessageSizeExceeded'],
    ['com.microsoft:entity-disabled', 'service_error', 'MessagingEntityDisabled'],
  ])('tells of a message that is refused with %s: %s', async (condition, code, error) => {
    bus.fail('message', { kind: 'refuse', condition, description: 'not now' })

    expect(await send()).toEqual(refusal(code, error, 'not now'))
    expect(await send()).toEqual(ACCEPTED)
    expect(bus.connections).toBe(1)
  })

  it('tells of a message that is larger than the service takes, without sending it', async () => {
    await bus.stop()
    bus = await startServiceBus({ queues: [QUEUE], maxMessageBytes: 1000 })

    expect(await send(destination(), { data: Buffer.alloc(1001, '1') })).toEqual(
      tooLarge('at most 1000 bytes'),
    )
    expect(bus.received).toEqual([])
    expect(await send()).toEqual(ACCEPTED)
  })

  it('tells of metadata that no message can carry', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 20 }, (_, i): [string, string] => [`key${i}`, 'x'.repeat(4096)]),
    )

    expect(await send(destination(), { metadata })).toEqual(
      tooLarge('metadata is at most 65536 bytes of a message'),
    )
    expect(bus.connections).toBe(0)
  })

  it('tells of a connection that is refused, and of a name that is not there', async () => {
    const port = await freePort()
    expect(await send(destination(bus.connectionStringWith({ port })))).toEqual(
      failure('connection_refused'),
    )
    expect(
      await send(destination(`Endpoint=sb://nowhere.invalid/;${KEY}`, { version: 2 })),
    ).toEqual(failure('dns_error'))
  })

  it.each(['93.184.216.34', '192.168.255.1'])(
    'speaks without TLS to networks of the operator only, and not to %s',
    async (address) => {
      const text = `Endpoint=sb://${address}:5672;${KEY};UseDevelopmentEmulator=true`

      expect(await send(destination(text))).toEqual(failure('blocked_address'))
    },
  )

  it('speaks TLS, and trusts no certificate that nobody vouches for', async () => {
    const server = createServer(UNTRUSTED_TLS)
    const port = await listening(server)

    expect(await send(destination(`Endpoint=sb://127.0.0.1:${port};${KEY}`))).toEqual(
      failure('tls_error'),
    )
    server.close()
  })

  it('tells of a server that does not speak AMQP', async () => {
    const server = tcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const port = await listening(server)

    expect(await send(destination(bus.connectionStringWith({ port })))).toEqual(
      failure('protocol_error'),
    )
    server.close()
  })

  it('cuts a server that sends without end', async () => {
    const server = tcpServer((socket) => {
      // A frame that claims to be as long as can be.
      socket.write(Buffer.from('414d5150030100007fffffff02010000', 'hex'))
      const pour = (): void => {
        while (socket.writable && socket.write(Buffer.alloc(65_536)));
      }
      socket.on('drain', pour)
      pour()
    })
    const port = await listening(server)

    expect(await send(destination(bus.connectionStringWith({ port })))).toEqual(
      failure('protocol_error'),
    )
    server.close()
  })

  it('tells of settings with which nothing can be sent', async () => {
    expect(await send(destination('Endpoint=http://x'))).toEqual(failure('unsendable'))
  })

  it.each(['token', 'message'] as const)(
    'gives up in time on a service that never answers a %s, and connects anew',
    async (point) => {
      bus.fail(point, { kind: 'hang' })
      sender = openSender('cloud_b_bus', { connectTimeoutMs: 300 })
      const begun = Date.now()
      expect(await send(destination(), { timeoutMs: 300 })).toEqual(failure('timeout'))
      expect(Date.now() - begun).toBeLessThan(300 + 2000)

      await waitFor(async () => (await send()).status === 'success', { what: 'a success' })
      await waitFor(() => bus.open === 1, { what: 'the hung connection to be closed' })
      expect(bus.connections).toBe(2)
    },
  )

  it.each(['token', 'link', 'message'] as const)(
    'tells of a connection that ends at the %s, and connects anew',
    async (point) => {
      bus.fail(point, { kind: 'cut' })

      expect(await send()).toEqual(failure('connection_reset'))
      expect(await send()).toEqual(ACCEPTED)
      expect(bus.connections).toBe(2)
    },
  )

  it('connects anew after an idle connection was lost', async () => {
    await send()
    bus.cutAll()
    await waitFor(async () => (await send()).status === 'success', { what: 'a success' })

    expect(bus.connections).toBe(2)
  })

  it('tells the truth when connections are cut: what it calls accepted has arrived', async () => {
    const accepted = new Set<string>()
    let resets = 0
    for (let round = 0; round < 20; round += 1) {
      bus.fail('message', { kind: 'cut' })
      const ids = Array.from({ length: 25 }, (_, i) => `evt_${round}_${i}`)
      const results = await Promise.all(ids.map((eventId) => send(destination(), { eventId })))
      for (const [i, { code }] of results.entries()) {
        if (code === 'accepted') accepted.add(ids[i] ?? '')
        else resets += 1
      }
    }

    const arrived = new Set(bus.received.map((message) => message.messageId))
    expect([...accepted].filter((id) => !arrived.has(id))).toEqual([])
    expect(resets).toBeGreaterThan(0)
  })

  it('closes its connections when it stops', async () => {
    await send()
    expect(bus.open).toBe(1)
    await sender.stop()

    await waitFor(() => bus.open === 0, { what: 'the connection to be closed' })
  })
})

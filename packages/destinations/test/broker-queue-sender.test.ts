import { createServer } from 'node:tls'
import type { DeliveryDestination, StringMap } from '@postrider/common'
import { freePort, startFaultProxy, testVhost, type TestVhost, waitFor } from '@postrider/testkit'
import { type Channel, type ChannelModel, connect, type GetMessage } from 'amqplib'
import type { SendRequest, SendResult } from '../src/destination-type.ts'
import { BrokerQueueSender } from '../src/broker-queue/sender.ts'
import { AddressGuard } from '../src/guard/address-guard.ts'
import { DATA, sendRequest, webhookDestination } from './factories.ts'
import { listening } from './raw-server.ts'
import { failure } from './results.ts'
import { UNTRUSTED_TLS } from './tls.ts'

const EXCHANGE = 'events'
const QUEUE = 'inbox'
/** How a confirm begins on the wire. */
const BASIC_ACK = Buffer.from([0, 60, 0, 80])

const CONFIRMED: SendResult = { ...failure('confirmed'), status: 'success' }

function openSender(openTimeoutMs = 5000): BrokerQueueSender {
  const guard = new AddressGuard({ allowedNetworks: ['127.0.0.0/8'] })
  return new BrokerQueueSender({ guard, openTimeoutMs })
}

describe('sender to RabbitMQ', () => {
  let vhost: TestVhost
  let model: ChannelModel
  let channel: Channel
  let sender: BrokerQueueSender

  beforeAll(async () => {
    vhost = await testVhost()
    model = await connect(vhost.url)
    channel = await model.createChannel()
  })

  beforeEach(async () => {
    sender = openSender()
    await channel.assertExchange(EXCHANGE, 'topic', { durable: false })
    await channel.assertQueue(QUEUE, { durable: false })
    await channel.bindQueue(QUEUE, EXCHANGE, 'user.#')
  })

  afterEach(async () => {
    await sender.stop()
    await channel.deleteQueue(QUEUE)
    await channel.deleteExchange(EXCHANGE)
  })

  afterAll(async () => {
    await model.close()
    await vhost[Symbol.asyncDispose]()
  })

  /** To the test's vhost; other than that where the changes say. */
  function destination(
    config: StringMap = {},
    credentials: StringMap = {},
    version = 1,
  ): DeliveryDestination {
    const { host, pathname, username, password } = new URL(vhost.url)
    return webhookDestination('', {
      type: 'broker_queue',
      version,
      config: { server_url: host + pathname, exchange: EXCHANGE, ...config },
      credentials: {
        username: decodeURIComponent(username),
        password: decodeURIComponent(password),
        ...credentials,
      },
      deliveryMetadata: { team: 'billing', source: 'destination' },
    })
  }

  async function send(
    to: DeliveryDestination = destination(),
    changes: Partial<SendRequest> = {},
  ): Promise<SendResult> {
    return sender.send(sendRequest(to, changes))
  }

  async function received(): Promise<GetMessage> {
    const message = await channel.get(QUEUE, { noAck: true })
    if (message === false) throw new Error('the queue is empty')
    return message
  }

  /** Through a proxy to the test's server. */
  async function proxied() {
    const proxy = await startFaultProxy({ port: Number(new URL(vhost.url).port) })
    const { pathname } = new URL(vhost.url)
    return { proxy, to: destination({ server_url: `127.0.0.1:${proxy.port}${pathname}` }) }
  }

  it('publishes the bytes of the data, persistent, with its id and metadata', async () => {
    const metadata = { source: 'event', city: 'Köln 😀', topic: 'forged' }
    expect(await send(destination(), { metadata })).toEqual(CONFIRMED)

    const { content, fields, properties } = await received()
    expect(content).toEqual(DATA)
    expect(fields).toMatchObject({ exchange: EXCHANGE, routingKey: 'user.created' })
    expect(properties).toMatchObject({
      contentType: 'application/json',
      deliveryMode: 2,
      messageId: 'evt_1',
      headers: {
        team: 'billing',
        source: 'event',
        city: 'Köln 😀',
        'event-id': 'evt_1',
        topic: 'user.created',
        timestamp: '1700000000',
      },
    })
  })

  it('routes by the routing key of the destination, and by queue name on the default exchange', async () => {
    expect(await send(destination({ routing_key: 'user.all' }))).toEqual(CONFIRMED)
    expect((await received()).fields.routingKey).toBe('user.all')

    expect(await send(destination({ exchange: '', routing_key: QUEUE }))).toEqual(CONFIRMED)
    expect((await received()).fields.exchange).toBe('')
  })

  it('tells of a message that no queue takes', async () => {
    expect(await send(destination(), { topic: 'order.paid' })).toEqual(failure('unroutable'))
    expect(await send()).toEqual(CONFIRMED)
  })

  it('tells messages apart that are under way together', async () => {
    const to = destination()
    const topics = Array.from({ length: 30 }, (_, i) => (i % 3 === 0 ? 'order.paid' : 'user.paid'))
    const results = await Promise.all(topics.map((topic) => send(to, { topic })))

    expect(results.map((result) => result.code)).toEqual(
      topics.map((topic) => (topic === 'order.paid' ? 'unroutable' : 'confirmed')),
    )
  })

  it('tells of a missing exchange, and finds it when it is there, on the same connection', async () => {
    const { proxy, to } = await proxied()
    await channel.deleteExchange(EXCHANGE)
    expect(await Promise.all([send(to), send(to)])).toEqual([
      failure('exchange_not_found'),
      failure('exchange_not_found'),
    ])

    await channel.assertExchange(EXCHANGE, 'topic', { durable: false })
    await channel.bindQueue(QUEUE, EXCHANGE, 'user.#')
    expect(await send(to)).toEqual(CONFIRMED)
    expect(proxy.accepted).toBe(1)
    await proxy.stop()
  })

  it('tells of an exchange that the user may not write to', async () => {
    await channel.assertExchange('inner', 'fanout', { durable: false, internal: true })

    expect(await send(destination({ exchange: 'inner' }))).toEqual(failure('access_denied'))
    await channel.deleteExchange('inner')
  })

  it('tells of a vhost that is not there or not the user’s', async () => {
    const { host } = new URL(vhost.url)

    expect(await send(destination({ server_url: `${host}/nowhere` }))).toEqual(
      failure('access_denied'),
    )
  })

  it('tells of wrong credentials, and takes the right ones of the next version', async () => {
    expect(await send(destination({}, { password: 'wrong' }))).toEqual(failure('auth_failed'))
    expect(await send(destination({}, {}, 2))).toEqual(CONFIRMED)
  })

  it('tells of a queue that refuses what is too much', async () => {
    await channel.deleteQueue(QUEUE)
    await channel.assertQueue(QUEUE, {
      durable: false,
      maxLength: 1,
      arguments: { 'x-overflow': 'reject-publish' },
    })
    await channel.bindQueue(QUEUE, EXCHANGE, 'user.#')

    expect(await send()).toEqual(CONFIRMED)
    expect(await send()).toEqual(failure('channel_error'))
  })

  it.each([
    ['127.0.0.1', 'connection_refused'],
    ['192.168.255.1', 'blocked_address'],
    ['nowhere.invalid', 'dns_error'],
  ])('tells of a server at %s that cannot be reached: %s', async (host, code) => {
    expect(await send(destination({ server_url: `${host}:${await freePort()}` }))).toEqual(
      failure(code),
    )
  })

  it('tells of a server that has no TLS, or a certificate that nobody vouches for', async () => {
    const { host, pathname } = new URL(vhost.url)
    expect(await send(destination({ server_url: host + pathname, tls: 'true' }))).toEqual(
      failure('tls_error'),
    )

    const server = createServer(UNTRUSTED_TLS)
    const port = await listening(server)
    const to = destination({ server_url: `127.0.0.1:${port}`, tls: 'true' })
    expect(await send(to)).toEqual(failure('tls_error'))
    server.close()
  })

  it('tells of settings with which nothing can be sent', async () => {
    expect(await send(destination({ server_url: 'amqp://x' }))).toEqual(failure('unsendable'))
  })

  it('gives up in time on a server that says nothing, and dials again', async () => {
    sender = openSender(300)
    const { proxy, to } = await proxied()
    proxy.blackhole(true)
    expect(await send(to, { timeoutMs: 300 })).toEqual(failure('timeout'))

    proxy.blackhole(false)
    await waitFor(async () => (await send(to)).status === 'success', { what: 'a success' })
    await proxy.stop()
  })

  it('gives up in time on a server that falls silent, and dials again', async () => {
    const { proxy, to } = await proxied()
    expect(await send(to)).toEqual(CONFIRMED)
    proxy.stall('down', true)
    expect(await send(to, { timeoutMs: 200 })).toEqual(failure('timeout'))

    proxy.stall('down', false)
    expect(await send(to)).toEqual(CONFIRMED)
    expect(proxy.accepted).toBe(2)
    await proxy.stop()
  })

  it('tells the truth when connections are cut: what it calls confirmed has arrived', async () => {
    const { proxy, to } = await proxied()
    const open = new Set(Array.from({ length: 1000 }, (_, i) => `evt_${i}`))
    let resets = 0
    let rounds = 0
    while (open.size > 0) {
      rounds += 1
      if (rounds < 4) void proxy.cutWhen('down', BASIC_ACK, { times: rounds })
      const ids = [...open].slice(0, 250)
      const results = await Promise.all(ids.map((eventId) => send(to, { eventId })))
      for (const [i, { code }] of results.entries()) {
        if (code === 'confirmed') open.delete(ids[i] ?? '')
        else resets += 1
      }
    }

    const arrived = new Set<string>()
    for (;;) {
      const message = await channel.get(QUEUE, { noAck: true })
      if (message === false) break
      arrived.add(String(message.properties.messageId))
    }
    expect(arrived.size).toBe(1000)
    expect(resets).toBeGreaterThan(0)
    expect(proxy.accepted).toBeGreaterThan(1)
    await proxy.stop()
  })

  it('closes its connections when it stops', async () => {
    const { proxy, to } = await proxied()
    await send(to)
    expect(proxy.open).toBe(1)
    await sender.stop()

    await waitFor(() => proxy.open === 0, { what: 'the connection to be closed' })
    await proxy.stop()
  })
})

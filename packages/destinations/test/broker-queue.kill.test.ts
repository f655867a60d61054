import type { DeliveryDestination, StringMap } from '@postrider/common'
import { privateRabbitMq } from '@postrider/testkit'
import { connect } from 'amqplib'
import { BrokerQueueSender } from '../src/broker-queue/sender.ts'
import { AddressGuard } from '../src/guard/address-guard.ts'
import { sendRequest, webhookDestination } from './factories.ts'

describe('a tenant’s RabbitMQ', () => {
  let server: Awaited<ReturnType<typeof privateRabbitMq>>
  let sender: BrokerQueueSender

  beforeAll(async () => {
    server = await privateRabbitMq()
    await server.control(['add_user', 'events', 'pw'])
  })

  beforeEach(async () => {
    const guard = new AddressGuard({ allowedNetworks: ['127.0.0.0/8'] })
    sender = new BrokerQueueSender({ guard, openTimeoutMs: 5000 })
    await mayWrite('^(my-exchange|amq\\.default)$')
  })

  afterEach(() => sender.stop())

  afterAll(() => server.stop())

  /** The permissions of the instructions: this exchange to write to, nothing else. */
  async function mayWrite(pattern: string): Promise<void> {
    await server.control(['set_permissions', '-p', '/', 'events', '^$', pattern, '^$'])
  }

  function destination(config: StringMap): DeliveryDestination {
    const { host } = new URL(server.url)
    return webhookDestination('', {
      type: 'broker_queue',
      config: { server_url: host, ...config },
      credentials: { username: 'events', password: 'pw' },
    })
  }

  async function codeOf(config: StringMap, timeoutMs = 5000): Promise<string> {
    return (await sender.send(sendRequest(destination(config), { timeoutMs }))).code
  }

  /** Has the queue of the tests in a new state, and counts what is in it. */
  async function withQueue(act: (count: () => Promise<number>) => Promise<void>): Promise<void> {
    const model = await connect(server.url)
    const channel = await model.createChannel()
    await channel.assertExchange('my-exchange', 'topic', { durable: false })
    await channel.assertQueue('inbox', { durable: false })
    await channel.purgeQueue('inbox')
    await channel.bindQueue('inbox', 'my-exchange', '#')
    await act(async () => (await channel.checkQueue('inbox')).messageCount)
    await model.close()
  }

  it('needs to give no more rights than the instructions name', async () => {
    await withQueue(async (count) => {
      await mayWrite('^my-exchange$')
      expect(await codeOf({ exchange: 'my-exchange' })).toBe('confirmed')
      expect(await codeOf({ routing_key: 'inbox' })).toBe('access_denied')

      await mayWrite('^amq\\.default$')
      await sender.stop()
      expect(await codeOf({ exchange: 'my-exchange' })).toBe('access_denied')
      expect(await codeOf({ routing_key: 'inbox' })).toBe('confirmed')
      expect(await count()).toBe(2)
    })
  })

  it('is not written to while it has an alarm', async () => {
    await withQueue(async (count) => {
      expect(await codeOf({ exchange: 'my-exchange' })).toBe('confirmed')
      await server.control(['set_vm_memory_high_watermark', '0.00001'])
      // The broker tells of its alarm when it is published to: only the first is taken, and late.
      expect(await codeOf({ exchange: 'my-exchange' }, 500)).toBe('timeout')
      expect(await codeOf({ exchange: 'my-exchange' }, 500)).toBe('timeout')

      const waiting = codeOf({ exchange: 'my-exchange' }, 10_000)
      await server.control(['set_vm_memory_high_watermark', '0.6'])
      expect(await waiting).toBe('confirmed')
      expect(await count()).toBe(3)
    })
  })

  it('is dialled again when it comes back', async () => {
    await withQueue(async () => {
      expect(await codeOf({ exchange: 'my-exchange' })).toBe('confirmed')
    })
    await server.kill()
    expect(await codeOf({ exchange: 'my-exchange' })).toMatch(/^connection_(?:reset|refused)$/)

    await server.start()
    await withQueue(async (count) => {
      expect(await codeOf({ exchange: 'my-exchange' })).toBe('confirmed')
      expect(await count()).toBe(1)
    })
  })
})

import { freePort, startFaultProxy, testVhost, waitFor } from '@postrider/testkit'
import { connect, type GetMessage } from 'amqplib'
import { type Arrived, describeTypeFlow, type TypeServers } from './type-flow.ts'

const EXCHANGE = 'events'
const QUEUE = 'inbox'

describeTypeFlow('broker_queue', async (): Promise<TypeServers> => {
  const vhost = await testVhost()
  const model = await connect(vhost.url)
  const channel = await model.createChannel()
  await channel.assertExchange(EXCHANGE, 'topic', { durable: false })
  await channel.assertQueue(QUEUE, { durable: false })
  await channel.bindQueue(QUEUE, EXCHANGE, 'user.#')
  const { host, port, pathname, username, password } = new URL(vhost.url)
  const proxy = await startFaultProxy({ port: Number(port) })
  const arrived: Arrived[] = []
  return {
    settings: {
      config: { server_url: host + pathname, exchange: EXCHANGE },
      credentials: {
        username: decodeURIComponent(username),
        password: decodeURIComponent(password),
      },
    },
    arrived: async (count) =>
      await waitFor(
        async () => {
          for (;;) {
            const message = await channel.get(QUEUE, { noAck: true })
            if (message === false) return arrived.length >= count && arrived
            arrived.push(arrivedOf(message))
          }
        },
        { what: `${count} messages` },
      ),
    properties: ({ id, topic }) => ({
      messageId: id,
      contentType: 'application/json',
      deliveryMode: '2',
      routingKey: topic,
    }),
    failures: [
      {
        when: 'the exchange is missing',
        code: 'exchange_not_found',
        settings: { config: { exchange: 'late' } },
        provoke: () => async () => {
          await channel.assertExchange('late', 'fanout', { autoDelete: true })
          await channel.bindQueue(QUEUE, 'late', '')
        },
      },
      {
        when: 'no queue takes it',
        code: 'unroutable',
        settings: { config: { routing_key: 'order.created' } },
        provoke: () => async () => {
          await channel.bindQueue(QUEUE, EXCHANGE, 'order.#')
        },
      },
      {
        when: 'the queue takes no more',
        code: 'channel_error',
        settings: { config: { exchange: '', routing_key: 'full' } },
        provoke: async () => {
          await channel.assertQueue('full', {
            durable: false,
            maxLength: 1,
            arguments: { 'x-overflow': 'reject-publish' },
          })
          channel.sendToQueue('full', Buffer.from('{}'))
          return async () => {
            await channel.purgeQueue('full')
          }
        },
      },
      {
        when: 'the server is silent',
        code: 'timeout',
        settings: { config: { server_url: `127.0.0.1:${proxy.port}${pathname}` } },
        provoke: () => {
          proxy.stall('down', true)
          return () => {
            proxy.stall('down', false)
          }
        },
      },
      {
        when: 'nobody listens',
        code: 'connection_refused',
        settings: { config: { server_url: `127.0.0.1:${await freePort()}` } },
      },
      {
        when: 'the name does not exist',
        code: 'dns_error',
        settings: { config: { server_url: 'nowhere.invalid' } },
      },
      {
        when: 'the vhost is not there',
        code: 'access_denied',
        settings: { config: { server_url: `${host}/nowhere` } },
      },
    ],
    wrong: { settings: { credentials: { password: 'wrong' } }, code: 'auth_failed' },
    [Symbol.asyncDispose]: async () => {
      await proxy.stop()
      await channel.deleteQueue('full')
      await channel.deleteQueue(QUEUE)
      await channel.deleteExchange(EXCHANGE)
      await model.close()
      await vhost[Symbol.asyncDispose]()
    },
  }
})

function arrivedOf({ content, fields, properties }: GetMessage): Arrived {
  const { messageId, contentType, deliveryMode, headers } = properties
  return {
    body: content,
    metadata: headers as Arrived['metadata'],
    properties: {
      messageId: String(messageId),
      contentType: String(contentType),
      deliveryMode: String(deliveryMode),
      routingKey: fields.routingKey,
    },
  }
}

import { ServiceBusClient, type ServiceBusReceivedMessage } from '@azure/service-bus'
import { freePort, type ServiceBus, startServiceBus, waitFor } from '@postrider/testkit'
import { type Arrived, describeTypeFlow, type FailureCase, type TypeServers } from './type-flow.ts'

const QUEUE = 'orders'
/** More than a message may have in the Standard tier. */
const TOO_LARGE = `{"text":"${'x'.repeat(300_000)}"}`

describeTypeFlow('cloud_b_bus', async (): Promise<TypeServers> => {
  const bus = await startServiceBus({ queues: [QUEUE] })
  const client = new ServiceBusClient(bus.connectionString)
  const receiver = client.createReceiver(QUEUE, {
    receiveMode: 'receiveAndDelete',
    skipParsingBodyAsJson: true,
  })
  const arrived: Arrived[] = []
  const elsewhere = `Endpoint=sb://nowhere.invalid;SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0`
  return {
    env: { MAX_EVENT_DATA_BYTES: '400000' },
    settings: {
      config: { name: QUEUE },
      credentials: { connection_string: bus.connectionString },
    },
    arrived: async (count) =>
      await waitFor(
        async () => {
          const messages = await receiver.receiveMessages(100, { maxWaitTimeInMs: 200 })
          arrived.push(...messages.map(arrivedOf))
          return arrived.length >= count && arrived
        },
        { what: `${count} messages` },
      ),
    properties: ({ id }) => ({ messageId: id, contentType: 'application/json' }),
    failures: [
      refusal(bus, 'it has too much to do', 'throttled', 'com.microsoft:server-busy'),
      refusal(bus, 'it fails', 'service_error', 'com.microsoft:entity-disabled'),
      failing(bus, 'it is silent', 'timeout', { kind: 'hang' }),
      failing(bus, 'the connection breaks', 'connection_reset', { kind: 'cut' }),
      {
        when: 'the policy may not send',
        code: 'access_denied',
        provoke: () => {
          const fault = { kind: 'refuse', condition: 'amqp:unauthorized-access' } as const
          // A link that is open needs no leave.
          bus.cutAll()
          bus.fail('link', { ...fault, description: "'Send' claim(s) are required." }, 2)
          return () => undefined
        },
      },
      {
        when: 'the queue is missing',
        code: 'queue_not_found',
        settings: { config: { name: 'invoices' } },
      },
      {
        when: 'nobody listens',
        code: 'connection_refused',
        settings: {
          credentials: {
            connection_string: bus.connectionStringWith({ port: await freePort() }),
          },
        },
      },
      {
        when: 'the name does not exist',
        code: 'dns_error',
        settings: { credentials: { connection_string: elsewhere } },
      },
      { when: 'the event is too large', code: 'too_large', data: TOO_LARGE },
    ],
    wrong: {
      settings: {
        credentials: { connection_string: bus.connectionStringWith({ key: 'bm90IGl0' }) },
      },
      code: 'auth_failed',
    },
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await bus.stop()
    },
  }
})

function refusal(bus: ServiceBus, when: string, code: string, condition: string): FailureCase {
  return failing(bus, when, code, { kind: 'refuse', condition })
}

/** The first two tries fail, and the third is well. */
function failing(
  bus: ServiceBus,
  when: string,
  code: string,
  fault: Parameters<ServiceBus['fail']>[1],
): FailureCase {
  return {
    when,
    code,
    provoke: () => {
      bus.fail('message', fault, 2)
      return () => undefined
    },
  }
}

function arrivedOf(message: ServiceBusReceivedMessage): Arrived {
  const { body, applicationProperties = {}, messageId, contentType = '' } = message
  return {
    body: body as Buffer,
    metadata: applicationProperties as Arrived['metadata'],
    properties: { messageId: String(messageId), contentType },
  }
}

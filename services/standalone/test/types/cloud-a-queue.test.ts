import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { startAwsFaults, startAwsServer, waitFor } from '@postrider/testkit'
import { ACCESS_KEY, awsFailures, refuseWrongKey, REGION, WRONG_KEY } from './aws-flow.ts'
import { type Arrived, describeTypeFlow, type TypeServers } from './type-flow.ts'

/** More than SQS takes, and than the service takes without being told. */
const TOO_LARGE = `{"text":"${'x'.repeat(1024 * 1024)}"}`

describeTypeFlow('cloud_a_queue', async (): Promise<TypeServers> => {
  const server = await startAwsServer()
  const faults = await startAwsFaults(server.url)
  refuseWrongKey(faults, 'InvalidClientTokenId')
  const queueUrl = server.createQueue('orders', REGION)
  const credentials = { accessKeyId: ACCESS_KEY.key, secretAccessKey: ACCESS_KEY.secret }
  const sqs = new SQSClient({ endpoint: server.url, region: REGION, credentials })
  const arrived: Arrived[] = []

  /** Takes what is in the queue out of it. */
  async function drain(): Promise<void> {
    for (;;) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: 10,
          MessageAttributeNames: ['All'],
        }),
      )
      if (Messages.length === 0) return
      for (const message of Messages) {
        arrived.push(arrivedOf(message))
        const { ReceiptHandle } = message
        await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }))
      }
    }
  }

  return {
    env: { MAX_EVENT_DATA_BYTES: '2000000', MAX_REQUEST_BODY_BYTES: '3000000' },
    settings: {
      config: { queue_url: queueUrl, region: REGION, endpoint: faults.url },
      credentials: ACCESS_KEY,
    },
    arrived: async (count) =>
      await waitFor(
        async () => {
          await drain()
          return arrived.length >= count && arrived
        },
        { what: `${count} messages` },
      ),
    properties: ({ id, topic }) => ({ 'event-id': id, topic, team: 'billing', source: 'event' }),
    failures: [
      ...(await awsFailures(faults)),
      {
        when: 'the queue is missing',
        code: 'queue_not_found',
        settings: { config: { queue_url: `${queueUrl}-late` } },
        provoke: () => () => void server.createQueue('orders-late', REGION),
      },
      { when: 'the event is too large', code: 'too_large', data: TOO_LARGE },
    ],
    wrong: { settings: { credentials: WRONG_KEY }, code: 'auth_failed' },
    [Symbol.asyncDispose]: async () => {
      sqs.destroy()
      await faults.stop()
      await server.stop()
    },
  }
})

/** The attributes that are not `metadata` are one for each key. */
function arrivedOf({ Body = '', MessageAttributes = {} }: Message): Arrived {
  const texts = Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, { StringValue = '' }]) => [name, StringValue]),
  )
  const { 'event-id': id = '', topic = '', team = '', source = '' } = texts
  return {
    body: Buffer.from(Body),
    metadata: JSON.parse(texts['metadata'] ?? '{}') as Arrived['metadata'],
    properties: { 'event-id': id, topic, team, source },
  }
}

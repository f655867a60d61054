import { v1 } from '@google-cloud/pubsub'
import { credentials, status } from '@grpc/grpc-js'
import { freePort, type PubSub, type PubSubFault, startPubSub, waitFor } from '@postrider/testkit'
import { type Arrived, describeTypeFlow, type FailureCase, type TypeServers } from './type-flow.ts'

const TOPIC = 'projects/acme/topics/orders'
const SUBSCRIPTION = 'projects/acme/subscriptions/orders'

describeTypeFlow('cloud_c_topic', async (): Promise<TypeServers> => {
  const pubSub = await startPubSub({ topics: [TOPIC] })
  // Without TLS nobody is shown credentials: another server stands in for those that are wrong.
  const stranger = await startPubSub({ topics: [TOPIC] })
  stranger.fail({ kind: 'refuse', code: status.UNAUTHENTICATED, message: 'who are you?' }, 1000)
  const subscriber = new v1.SubscriberClient({
    servicePath: '127.0.0.1',
    port: pubSub.port,
    projectId: 'acme',
    sslCreds: credentials.createInsecure(),
    // It would ask the environment, and the metadata service of a cloud.
    credentials: { client_email: 'nobody', private_key: 'none' },
  })
  const arrived: Arrived[] = []
  return {
    settings: {
      config: { project_id: 'acme', topic: 'orders', endpoint: `127.0.0.1:${pubSub.port}` },
    },
    arrived: async (count) =>
      await waitFor(
        async () => {
          const [answer] = await subscriber.pull({ subscription: SUBSCRIPTION, maxMessages: 100 })
          for (const { message } of answer.receivedMessages ?? []) {
            arrived.push({
              body: Buffer.from(message?.data ?? ''),
              metadata: message?.attributes ?? {},
              properties: {},
            })
          }
          return arrived.length >= count && arrived
        },
        { what: `${count} messages` },
      ),
    properties: () => ({}),
    failures: [
      refusal(pubSub, 'it has too much to do', 'throttled', status.RESOURCE_EXHAUSTED),
      refusal(pubSub, 'the account may not publish', 'access_denied', status.PERMISSION_DENIED),
      refusal(pubSub, 'nobody knows the account', 'auth_failed', status.UNAUTHENTICATED),
      refusal(pubSub, 'it fails', 'service_error', status.INTERNAL),
      failing(pubSub, 'it is silent', 'timeout', { kind: 'hang' }),
      {
        when: 'the topic is missing',
        code: 'topic_not_found',
        settings: { config: { topic: 'invoices' } },
      },
      {
        when: 'the metadata is too large',
        code: 'too_large',
        metadata: { note: 'x'.repeat(1025) },
      },
      {
        when: 'nobody listens',
        code: 'connection_refused',
        settings: { config: { endpoint: `127.0.0.1:${await freePort()}` } },
      },
      {
        when: 'the name does not exist',
        code: 'dns_error',
        settings: { config: { endpoint: 'nowhere.invalid:443' } },
      },
    ],
    wrong: {
      settings: { config: { endpoint: `127.0.0.1:${stranger.port}` } },
      code: 'auth_failed',
    },
    [Symbol.asyncDispose]: async () => {
      await subscriber.close()
      await pubSub.stop()
      await stranger.stop()
    },
  }
})

function refusal(pubSub: PubSub, when: string, code: string, grpcCode: number): FailureCase {
  return failing(pubSub, when, code, { kind: 'refuse', code: grpcCode, message: 'not now' })
}

/** The first two tries fail, and the third is well. */
function failing(pubSub: PubSub, when: string, code: string, fault: PubSubFault): FailureCase {
  return {
    when,
    code,
    provoke: () => {
      pubSub.fail(fault, 2)
      return () => undefined
    },
  }
}

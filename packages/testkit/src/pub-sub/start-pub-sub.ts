import {
  type GrpcObject,
  loadPackageDefinition,
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceClientConstructor,
} from '@grpc/grpc-js'
import { fromJSON } from '@grpc/proto-loader'
import { PUB_SUB_DESCRIPTOR } from './descriptor.ts'
import { type PublishedMessage, type PubSubMessage, StatusError, Topics } from './topics.ts'

export interface PubSubOptions {
  /** The topics that there are, `projects/<project>/topics/<topic>`; each has a subscription of its name. */
  readonly topics: readonly string[]
  /** Speaks TLS with this PEM key and certificate. Default: without TLS, like Google's own emulator. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** What goes wrong with a publish call: it ends with a status, or never. */
export type PubSubFault =
  | { readonly kind: 'refuse'; readonly code: number; readonly message: string }
  | { readonly kind: 'hang' }

/** A publish call as it arrived, whatever came of it. */
export interface PublishCall {
  readonly topic: string
  /** How many. */
  readonly messages: number
  /** The header; null without one. */
  readonly authorization: string | null
}

/** A local Google Cloud Pub/Sub on 127.0.0.1, as far as publishing and pulling go. It checks no token. */
export interface PubSub {
  readonly port: number
  /** All messages that were taken, in order. */
  readonly published: readonly PublishedMessage[]
  /** All publish calls, in order. */
  readonly calls: readonly PublishCall[]
  /** The next publish calls go wrong. Default: one. */
  fail(fault: PubSubFault, times?: number): void
  /** Ends every connection and stops listening. Idempotent. */
  stop(): Promise<void>
}

type Handler<Q, A> = (call: ServerUnaryCall<Q, A>, answer: sendUnaryData<A>) => void

/** Starts a local Pub/Sub; whoever starts it stops it. */
export async function startPubSub({ topics: names, tls }: PubSubOptions): Promise<PubSub> {
  const topics = new Topics(names)
  const calls: PublishCall[] = []
  const faults: PubSubFault[] = []
  const server = new Server({ 'grpc.max_receive_message_length': 20 * 1024 * 1024 })
  server.addService(serviceNamed('Publisher'), {
    publish: (call: ServerUnaryCall<PublishRequest, unknown>, answer: sendUnaryData<unknown>) => {
      const { topic, messages } = call.request
      const [authorization = null] = call.metadata.get('authorization').map(String)
      calls.push({ topic, messages: messages.length, authorization })
      const fault = faults.shift()
      if (fault?.kind === 'hang') return
      if (fault?.kind === 'refuse') answer(new StatusError(fault.code, fault.message))
      else unary(() => ({ messageIds: topics.publish(topic, messages) }))(call, answer)
    },
  })
  server.addService(serviceNamed('Subscriber'), {
    pull: unary(({ subscription, maxMessages }: PullRequest) => ({
      receivedMessages: topics
        .pull(subscription, maxMessages)
        .map((message) => ({ ackId: message.messageId, message, deliveryAttempt: 1 })),
    })),
    acknowledge: unary(() => ({})),
  })
  const port = await bind(server, credentialsOf(tls))
  return {
    port,
    published: topics.published,
    calls,
    fail(fault, times = 1) {
      for (let i = 0; i < times; i += 1) faults.push(fault)
    },
    stop: async () => server.forceShutdown(),
  }
}

interface PublishRequest {
  readonly topic: string
  readonly messages: readonly PubSubMessage[]
}

interface PullRequest {
  readonly subscription: string
  readonly maxMessages: number
}

function unary<Q, A>(act: (request: Q) => A): Handler<Q, A> {
  return ({ request }, answer) => {
    try {
      answer(null, act(request))
    } catch (error) {
      answer(error instanceof StatusError ? error : new StatusError(13, String(error)))
    }
  }
}

function serviceNamed(name: string): ServiceClientConstructor['service'] {
  // The types of protobuf.js know no maps, and want comments.
  const descriptor = PUB_SUB_DESCRIPTOR as unknown as Parameters<typeof fromJSON>[0]
  const definition = fromJSON(descriptor, { defaults: true, longs: String })
  // One package within another; the descriptor says that the service is there.
  const path = ['google', 'pubsub', 'v1', name]
  const found = path.reduce<unknown>(
    (object, key) => (object as GrpcObject)[key],
    loadPackageDefinition(definition),
  )
  return (found as ServiceClientConstructor).service
}

function credentialsOf(tls: PubSubOptions['tls']): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure()
  const pair = { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) }
  return ServerCredentials.createSsl(null, [pair])
}

async function bind(server: Server, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, port) => {
      if (error === null) resolve(port)
      else reject(error)
    })
  })
}

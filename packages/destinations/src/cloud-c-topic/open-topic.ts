import type { v1 } from '@google-cloud/pubsub'
import type { ClientUnaryCall, Metadata, ServiceError } from '@grpc/grpc-js'
import type { AddressGuard } from '../guard/address-guard.ts'
import { areOperators, operatorsOnly } from '../guard/operators-only.ts'
import { AccountTokens } from './account-tokens.ts'
import { secureCredentials } from './channel-credentials.ts'
import {
  JUDGED_ADDRESSES,
  type JudgedAddress,
  judgedServicePath,
  registerJudgedResolver,
} from './judged-resolver.ts'
import type { TopicMessage } from './topic-message.ts'
import type { TopicSettings } from './topic-settings.ts'
import { watchConnections } from './watched-connections.ts'

/** We read nothing but lists of ids; without a limit a server could make us buffer anything. */
const MAX_ANSWER_BYTES = 256 * 1024

/** What the service answers to a publish call. */
export interface PublishAnswer {
  /** One for each message, in order. */
  readonly messageIds: readonly string[]
}

type OnAnswer = (error: ServiceError | null, answer?: PublishAnswer) => void

/** A channel to the service of a topic; it connects with its first call. */
export interface OpenTopic {
  readonly isTls: boolean
  /** Makes a publish call, which the caller may cancel. */
  publish(messages: readonly TopicMessage[], onAnswer: OnAnswer): ClientUnaryCall
  /** Ends the channel; calls under way go on. */
  close(): Promise<void>
}

export interface OpenTopicOptions {
  readonly guard: AddressGuard
  /** Trusted in place of what Node trusts, PEM; null: Node's own. */
  readonly rootCertificates: Buffer | null
  /** Destroys its sockets. */
  readonly cut: AbortSignal
  /** A connection takes no more calls, and the next call would make another one. */
  readonly onClosing: () => void
}

/**
 * Finds out where the service of a topic is, and makes a channel to it. The SDK is loaded by the first
 * call.
 *
 * The SDK gets no credentials, only a channel whose calls carry a token: by itself it would look for
 * some in the environment, in files and at the metadata service of a cloud.
 *
 * @throws {ConnectFailureError} As the guard does
 * @throws {AccountKeyError} When the account's key cannot sign
 */
export async function openTopic(
  { tenantUid, hostname, port, needsTls, topic, account }: TopicSettings,
  { guard, rootCertificates, cut, onClosing }: OpenTopicOptions,
): Promise<OpenTopic> {
  const [grpc, sdk] = await Promise.all([import('@grpc/grpc-js'), import('@google-cloud/pubsub')])
  registerJudgedResolver(grpc)
  await watchConnections()
  // It writes to standard error what a server says, however much of it.
  grpc.setLogVerbosity(grpc.logVerbosity.NONE)
  const allowed = await guard.resolve(hostname, tenantUid)
  const addresses = account === null ? operatorsOnly(guard, hostname, allowed) : allowed
  const isTls = needsTls || !areOperators(guard, addresses)
  const tokens = isTls && account !== null ? new AccountTokens(account) : null
  const client = new sdk.v1.PublisherClient({
    auth: NO_AUTH,
    sslCreds: isTls
      ? secureCredentials(grpc, { tokens, rootCertificates })
      : grpc.credentials.createInsecure(),
    servicePath: judgedServicePath(hostname),
    port,
    [JUDGED_ADDRESSES]: addresses.map((host): JudgedAddress => ({
      host,
      port,
      signal: cut,
      onClosing,
    })),
    // What the environment could set otherwise.
    universeDomain: 'googleapis.com',
    fallback: false,
    'grpc.enable_http_proxy': 0,
    // Its connections are its own, and end with it.
    'grpc.use_local_subchannel_pool': 1,
    // The scheduler's task.
    'grpc.enable_retries': 0,
    'grpc.max_receive_message_length': MAX_ANSWER_BYTES,
  })
  // Its methods are those of the service; the SDK's own around them retry, batch and cannot be cancelled.
  const stub = (await client.initialize()) as unknown as PublisherStub
  const metadata = new grpc.Metadata()
  metadata.set('x-goog-request-params', `topic=${encodeURIComponent(topic)}`)
  return {
    isTls,
    publish: (messages, onAnswer) => stub.publish({ topic, messages }, metadata, onAnswer),
    close: async () => client.close(),
  }
}

interface PublisherStub {
  publish(
    request: { readonly topic: string; readonly messages: readonly TopicMessage[] },
    metadata: Metadata,
    onAnswer: OnAnswer,
  ): ClientUnaryCall
}

type SdkOptions = NonNullable<ConstructorParameters<typeof v1.PublisherClient>[0]>

/** All that the SDK asks it about, given the credentials of the channel. */
const NO_AUTH = {
  getUniverseDomain: async () => 'googleapis.com',
} as unknown as NonNullable<SdkOptions['auth']>

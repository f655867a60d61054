import type { SendMessageBatchCommandOutput, SQSClient } from '@aws-sdk/client-sqs'
import { isOverTls } from '../aws/access.ts'
import { answerList, answerText } from '../aws/answer-text.ts'
import {
  callFailure,
  type FailureContext,
  messageText,
  unreadable,
  vendorFailure,
} from '../aws/aws-failure.ts'
import type { AwsClientParts } from '../aws/aws-client-parts.ts'
import { awsClientOptions } from '../aws/client-options.ts'
import { LazySdk } from '../aws/lazy-sdk.ts'
import { taken } from '../aws/taken.ts'
import { BatchedSends, type CallResult } from '../batched-sends.ts'
import type { SendRequest, SendResult } from '../destination-type.ts'
import type { SendingClient } from '../pooled-sender.ts'
import { MAX_CALL_BYTES, type QueueMessage, queueMessage } from './queue-message.ts'
import type { QueueSettings } from './queue-settings.ts'

const MAX_MESSAGES = 10
const CALLS_AT_ONCE = 4

const NO_QUEUE = [
  'QueueDoesNotExist',
  'AWS.SimpleQueueService.NonExistentQueue',
  'QueueDeletedRecently',
  'InvalidAddress',
  'ResourceNotFoundException',
]

/** Sends messages to one queue, ten to a call at most. The SDK is loaded by the first message. */
export class QueueClient implements SendingClient {
  readonly #settings: QueueSettings
  readonly #context: FailureContext
  readonly #sdk: LazySdk<SQSClient>
  readonly #sends: BatchedSends<QueueMessage>

  constructor(settings: QueueSettings, { guard, log }: AwsClientParts) {
    const missing = { names: NO_QUEUE, code: 'queue_not_found' }
    // A queue that keeps order gets its messages one call after the other.
    const concurrency = settings.messageGroupId === null ? CALLS_AT_ONCE : 1
    this.#settings = settings
    this.#context = { credentials: settings.credentials, isTls: isOverTls(settings), missing, log }
    this.#sdk = new LazySdk(async () => {
      const options = await awsClientOptions({ access: settings, guard, maxSockets: concurrency })
      const { SQSClient: Client } = await import('@aws-sdk/client-sqs')
      // The SDK would fail all messages of a call for one checksum, after they were taken.
      return new Client({ ...options, md5: false })
    })
    this.#sends = new BatchedSends({
      maxItems: MAX_MESSAGES,
      maxBytes: MAX_CALL_BYTES,
      bytesOf: ({ bytes }) => bytes,
      concurrency,
      call: async (messages, signal) => this.#call(messages, signal),
    })
  }

  async send(request: SendRequest, signal: AbortSignal): Promise<SendResult> {
    const prepared = queueMessage(request)
    return prepared.kind === 'refused'
      ? prepared.result
      : this.#sends.send(prepared.message, signal)
  }

  async close(): Promise<void> {
    await this.#sdk.close()
  }

  async #call(messages: readonly QueueMessage[], signal: AbortSignal): Promise<CallResult> {
    const client = await this.#sdk.get()
    const { SendMessageBatchCommand } = await import('@aws-sdk/client-sqs')
    const command = new SendMessageBatchCommand({
      QueueUrl: this.#settings.queueUrl,
      Entries: messages.map((message, i) => this.#entry(message, i)),
    })
    try {
      const answer = await client.send(command, { abortSignal: signal })
      return { kind: 'answered', results: messages.map((_, i) => this.#result(answer, i)) }
    } catch (error) {
      return { kind: 'failed', ...callFailure(error, this.#context) }
    }
  }

  #entry({ eventId, body, attributes }: QueueMessage, i: number) {
    const { messageGroupId } = this.#settings
    return {
      Id: String(i),
      MessageBody: body,
      MessageAttributes: { ...attributes },
      ...(messageGroupId === null
        ? {}
        : { MessageGroupId: messageGroupId, MessageDeduplicationId: eventId }),
    }
  }

  #result(answer: SendMessageBatchCommandOutput, i: number): SendResult {
    const isThis = (each: { readonly Id?: string | undefined } | null): boolean =>
      each?.Id === String(i)
    const requestId = answerText(answer.$metadata.requestId)
    const success = answerList(answer.Successful).find(isThis) ?? null
    if (success !== null) {
      const { MessageId: id, SequenceNumber: sequenceNumber } = success
      return taken({ message_id: id, sequence_number: sequenceNumber })
    }
    const refusal = answerList(answer.Failed).find(isThis) ?? null
    if (refusal === null) {
      return unreadable('The answer does not say what became of the message.')
    }
    const name = answerText(refusal.Code)
    const message = messageText(refusal.Message)
    return vendorFailure({ name, message, status: null, requestId }, this.#context)
  }
}

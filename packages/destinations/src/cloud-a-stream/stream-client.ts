import type { KinesisClient, PutRecordsResultEntry } from '@aws-sdk/client-kinesis'
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
import { type StreamRecord, streamRecord } from './stream-record.ts'
import type { StreamSettings } from './stream-settings.ts'

const MAX_RECORDS = 500
/** Kinesis takes twice as much; other services that speak its protocol are at its former limit. */
const MAX_CALL_BYTES = 5 * 1024 * 1024
const CALLS_AT_ONCE = 4

/** What every stream takes. Only one that is set to take more takes larger records. */
const USUAL_RECORD_BYTES = 1024 * 1024

const NO_STREAM = { names: ['ResourceNotFoundException'], code: 'stream_not_found' }

export interface StreamClientOptions extends AwsClientParts {
  /** Records carry the metadata besides the data. */
  readonly hasMetadata: boolean
}

/** Puts records into one stream, many to a call. The SDK is loaded by the first record. */
export class StreamClient implements SendingClient {
  readonly #settings: StreamSettings
  readonly #hasMetadata: boolean
  readonly #context: FailureContext
  readonly #sdk: LazySdk<KinesisClient>
  readonly #sends: BatchedSends<StreamRecord>

  constructor(settings: StreamSettings, { guard, log, hasMetadata }: StreamClientOptions) {
    const { credentials } = settings
    this.#settings = settings
    this.#hasMetadata = hasMetadata
    this.#context = { credentials, isTls: isOverTls(settings), missing: NO_STREAM, log }
    this.#sdk = new LazySdk(async () => {
      const options = await awsClientOptions({ access: settings, guard, maxSockets: CALLS_AT_ONCE })
      const { KinesisClient: Client } = await import('@aws-sdk/client-kinesis')
      return new Client({ ...options, accountIdEndpointMode: 'disabled' })
    })
    this.#sends = new BatchedSends({
      maxItems: MAX_RECORDS,
      maxBytes: MAX_CALL_BYTES,
      // A record that the stream may refuse goes alone, or others would be refused with it.
      bytesOf: ({ bytes }) => (bytes > USUAL_RECORD_BYTES ? MAX_CALL_BYTES : bytes),
      concurrency: CALLS_AT_ONCE,
      call: async (records, signal) => this.#call(records, signal),
    })
  }

  async send(request: SendRequest, signal: AbortSignal): Promise<SendResult> {
    const { partitionKeyTemplate: keyTemplate } = this.#settings
    const prepared = streamRecord(request, { keyTemplate, hasMetadata: this.#hasMetadata })
    if (prepared.kind === 'refused') return prepared.result
    const result = await this.#sends.send(prepared.record, signal)
    const isTooLarge = result.code === 'service_error' && isRefusedRecord(result, prepared.record)
    return isTooLarge ? { ...result, code: 'too_large' } : result
  }

  async close(): Promise<void> {
    await this.#sdk.close()
  }

  async #call(records: readonly StreamRecord[], signal: AbortSignal): Promise<CallResult> {
    const client = await this.#sdk.get()
    const { PutRecordsCommand } = await import('@aws-sdk/client-kinesis')
    const command = new PutRecordsCommand({
      StreamName: this.#settings.streamName,
      Records: records.map(({ partitionKey, data }) => ({
        PartitionKey: partitionKey,
        Data: data,
      })),
    })
    try {
      const { Records, $metadata } = await client.send(command, { abortSignal: signal })
      const requestId = answerText($metadata.requestId)
      const entries = answerList(Records)
      return {
        kind: 'answered',
        results: records.map((_, i) => this.#result(entries[i], requestId)),
      }
    } catch (error) {
      return { kind: 'failed', ...callFailure(error, this.#context) }
    }
  }

  /** Kinesis answers in the order of the records. */
  #result(entry: PutRecordsResultEntry | null | undefined, requestId: string | null): SendResult {
    const { SequenceNumber: sequenceNumber, ShardId, ErrorCode, ErrorMessage } = entry ?? {}
    const name = answerText(ErrorCode)
    if (name !== null) {
      const message = messageText(ErrorMessage)
      return vendorFailure({ name, message, status: null, requestId }, this.#context)
    }
    return answerText(sequenceNumber) === null
      ? unreadable('The answer does not say what became of the record.')
      : taken({ shard_id: ShardId, sequence_number: sequenceNumber })
  }
}

/** Kinesis has no name of its own for records that are larger than a stream takes. */
function isRefusedRecord({ response }: SendResult, { bytes }: StreamRecord): boolean {
  const name = response?.head['error']
  return (
    bytes > USUAL_RECORD_BYTES &&
    (name === 'ValidationException' || name === 'InvalidArgumentException')
  )
}

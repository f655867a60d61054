import { createHash } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import { isOverTls } from '../aws/access.ts'
import { callFailure, type FailureContext } from '../aws/aws-failure.ts'
import type { AwsClientParts } from '../aws/aws-client-parts.ts'
import { awsClientOptions } from '../aws/client-options.ts'
import { LazySdk } from '../aws/lazy-sdk.ts'
import { taken } from '../aws/taken.ts'
import type { SendRequest, SendResult } from '../destination-type.ts'
import type { SendingClient } from '../pooled-sender.ts'
import { eventMetadata } from '../event-metadata.ts'
import { refused } from '../send-result.ts'
import type { BucketSettings } from './bucket-settings.ts'
import { objectKey } from './object-key.ts'
import { MAX_USER_METADATA_BYTES, userMetadata, userMetadataBytes } from './user-metadata.ts'

/** As many as a destination may have in flight. */
const MAX_SOCKETS = 32

const NO_BUCKET = { names: ['NoSuchBucket', 'InvalidBucketName'], code: 'bucket_not_found' }

/** Writes objects into one bucket. The SDK is loaded by the first object. */
export class BucketClient implements SendingClient {
  readonly #settings: BucketSettings
  readonly #context: FailureContext
  readonly #sdk: LazySdk<S3Client>

  constructor(settings: BucketSettings, { guard, log }: AwsClientParts) {
    const { credentials, endpoint } = settings
    this.#settings = settings
    this.#context = { credentials, isTls: isOverTls(settings), missing: NO_BUCKET, log }
    this.#sdk = new LazySdk(async () => {
      const options = await awsClientOptions({ access: settings, guard, maxSockets: MAX_SOCKETS })
      const { S3Client: Client } = await import('@aws-sdk/client-s3')
      return new Client({
        ...options,
        // Other services are at one host, whatever the bucket.
        forcePathStyle: endpoint !== null,
        expectContinueHeader: false,
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
        disableS3ExpressSessionAuth: false,
        useArnRegion: false,
        sigv4aSigningRegionSet: [],
      })
    })
  }

  async send(request: SendRequest, signal: AbortSignal): Promise<SendResult> {
    const { bucket, keyTemplate, storageClass } = this.#settings
    const key = objectKey(keyTemplate, request)
    if (key.kind === 'refused') return key.result
    const metadata = eventMetadata(request)
    const bytes = userMetadataBytes(metadata)
    if (bytes > MAX_USER_METADATA_BYTES) {
      const limit = MAX_USER_METADATA_BYTES
      return refused('too_large', `The metadata has ${bytes} bytes; S3 takes ${limit}.`)
    }
    const client = await this.#sdk.get()
    const { PutObjectCommand } = await import('@aws-sdk/client-s3')
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: key.text,
      Body: request.data,
      ContentType: 'application/json',
      Metadata: userMetadata(metadata),
      ChecksumSHA256: createHash('sha256').update(request.data).digest('base64'),
      ...(storageClass === null ? {} : { StorageClass: storageClass }),
    })
    try {
      const { ETag: etag, VersionId } = await client.send(command, { abortSignal: signal })
      return taken({ key: key.text, etag, version_id: VersionId })
    } catch (error) {
      return callFailure(error, this.#context).result
    }
  }

  async close(): Promise<void> {
    await this.#sdk.close()
  }
}

import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3'
import { startAwsFaults, startAwsServer, waitFor } from '@postrider/testkit'
import { ACCESS_KEY, awsFailures, refuseWrongKey, REGION, WRONG_KEY } from './aws-flow.ts'
import { type Arrived, describeTypeFlow, type TypeServers } from './type-flow.ts'

describeTypeFlow('cloud_a_storage', async (): Promise<TypeServers> => {
  const server = await startAwsServer()
  const faults = await startAwsFaults(server.url)
  refuseWrongKey(faults, 'InvalidAccessKeyId')
  server.createBucket('events')
  const credentials = { accessKeyId: ACCESS_KEY.key, secretAccessKey: ACCESS_KEY.secret }
  const s3 = new S3Client({
    endpoint: server.url,
    region: REGION,
    credentials,
    forcePathStyle: true,
  })

  async function objects(): Promise<readonly Arrived[]> {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: 'events' }))
    return await Promise.all(
      Contents.map(async ({ Key = '' }) =>
        arrivedOf(Key, await s3.send(new GetObjectCommand({ Bucket: 'events', Key }))),
      ),
    )
  }

  return {
    settings: {
      config: {
        bucket: 'events',
        region: REGION,
        endpoint: faults.url,
        key_template: `join('/', [metadata.team, metadata."event-id"])`,
      },
      credentials: ACCESS_KEY,
    },
    arrived: async (count) =>
      await waitFor(
        async () => {
          const all = await objects()
          return all.length >= count && all
        },
        { what: `${count} objects` },
      ),
    properties: ({ id }) => ({ key: `billing/${id}`, contentType: 'application/json' }),
    failures: [
      ...(await awsFailures(faults)),
      {
        when: 'the bucket is missing',
        code: 'bucket_not_found',
        settings: { config: { bucket: 'late-events' } },
        provoke: () => () => server.createBucket('late-events'),
      },
      {
        when: 'the metadata is too large',
        code: 'too_large',
        metadata: { note: 'x'.repeat(2048) },
      },
    ],
    wrong: { settings: { credentials: WRONG_KEY }, code: 'auth_failed' },
    [Symbol.asyncDispose]: async () => {
      s3.destroy()
      await faults.stop()
      await server.stop()
    },
  }
})

async function arrivedOf(
  key: string,
  { Body, Metadata = {}, ContentType = '' }: GetObjectCommandOutput,
): Promise<Arrived> {
  const { city = '', ...metadata } = Metadata
  return {
    body: Buffer.from((await Body?.transformToByteArray()) ?? []),
    metadata: { ...metadata, city: decodedWord(city) },
    properties: { key, contentType: ContentType },
  }
}

/** What is not ASCII travels as an encoded word in base64 (RFC 2047). */
function decodedWord(text: string): string {
  const [, base64] = /^=\?UTF-8\?B\?(.*)\?=$/i.exec(text) ?? []
  return base64 === undefined ? text : Buffer.from(base64, 'base64').toString()
}

import {
  CreateStreamCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  KinesisClient,
} from '@aws-sdk/client-kinesis'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { startAwsFaults, startKinesisServer, waitFor } from '@postrider/testkit'
import { ACCESS_KEY, awsFailures, refuseWrongKey, REGION, WRONG_KEY } from './aws-flow.ts'
import { type Arrived, describeTypeFlow, type TypeServers } from './type-flow.ts'

/** More than the server of the tests takes, as streams do whose limit was not raised. */
const TOO_LARGE = `{"text":"${'x'.repeat(1024 * 1024)}"}`

describeTypeFlow('cloud_a_stream', async (): Promise<TypeServers> => {
  const server = await startKinesisServer()
  const faults = await startAwsFaults(server.url)
  refuseWrongKey(faults, 'UnrecognizedClientException')
  const kinesis = new KinesisClient({
    endpoint: server.url,
    region: REGION,
    credentials: { accessKeyId: ACCESS_KEY.key, secretAccessKey: ACCESS_KEY.secret },
    // The server speaks HTTP/1.1; the SDK's own handler does not.
    requestHandler: new NodeHttpHandler(),
  })
  const createStream = async (name: string): Promise<void> => {
    await kinesis.send(new CreateStreamCommand({ StreamName: name, ShardCount: 1 }))
  }
  await createStream('events')

  async function records(): Promise<readonly Arrived[]> {
    const { ShardIterator } = await kinesis.send(
      new GetShardIteratorCommand({
        StreamName: 'events',
        ShardId: 'shardId-000000000000',
        ShardIteratorType: 'TRIM_HORIZON',
      }),
    )
    const { Records = [] } = await kinesis.send(new GetRecordsCommand({ ShardIterator }))
    return Records.map(({ Data = new Uint8Array(), PartitionKey = '' }) =>
      arrivedOf(Buffer.from(Data).toString(), PartitionKey),
    )
  }

  return {
    env: { MAX_EVENT_DATA_BYTES: '2000000', MAX_REQUEST_BODY_BYTES: '3000000' },
    settings: {
      config: {
        stream_name: 'events',
        region: REGION,
        endpoint: faults.url,
        partition_key_template: 'metadata.team',
      },
      credentials: ACCESS_KEY,
    },
    arrived: async (count) =>
      await waitFor(
        async () => {
          const all = await records().catch(() => [])
          return all.length >= count && all
        },
        { what: `${count} records` },
      ),
    properties: () => ({ partitionKey: 'billing' }),
    failures: [
      ...(await awsFailures(faults)),
      {
        when: 'the stream is missing',
        code: 'stream_not_found',
        settings: { config: { stream_name: 'late' } },
        provoke: () => () => createStream('late'),
      },
      { when: 'the event is too large', code: 'too_large', data: TOO_LARGE },
    ],
    wrong: { settings: { credentials: WRONG_KEY }, code: 'auth_failed' },
    [Symbol.asyncDispose]: async () => {
      kinesis.destroy()
      await faults.stop()
      await server.stop()
    },
  }
})

/** The bytes of the data are the end of the record: they are not parsed here, so that they show. */
function arrivedOf(record: string, partitionKey: string): Arrived {
  const { metadata } = JSON.parse(record) as { metadata: Arrived['metadata'] }
  const data = record.slice(record.indexOf('"data":') + '"data":'.length, -1)
  return { body: Buffer.from(data), metadata, properties: { partitionKey } }
}

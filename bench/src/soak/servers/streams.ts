import { startKinesisServer, waitFor } from '@postrider/testkit'
import type { Ledger } from '../ledger.ts'
import type { TypeServer } from '../type-server.ts'
import { ACCESS_KEY, REGION } from './aws-access.ts'
import { type CallAnswer, forward } from './aws-call.ts'
import { startAwsFront } from './aws-front.ts'
import type { AwsProtocol } from './fronted-call.ts'
import { jsonRefusal, parsed, withBody } from './json-protocol.ts'

interface PutRecords {
  readonly StreamName: string
  readonly Records: readonly { readonly Data: string; readonly PartitionKey: string }[]
}

interface PutAnswer {
  readonly FailedRecordCount?: number
  readonly Records?: readonly { readonly SequenceNumber?: string }[]
}

const PROTOCOL: AwsProtocol = {
  refusals: [
    { name: 'ProvisionedThroughputExceededException', status: 400, code: 'throttled' },
    { name: 'ResourceNotFoundException', status: 400, code: 'stream_not_found' },
    { name: 'InternalFailure', status: 500, code: 'service_error' },
  ],
  read(call) {
    const { StreamName: placeId, Records } = parsed(call) as PutRecords
    return { placeId, messages: Records.map(({ Data }) => messageOf(Buffer.from(Data, 'base64'))) }
  },
  refuse: jsonRefusal,
  without(call, refused) {
    const put = parsed(call) as PutRecords
    return withBody(call, { ...put, Records: put.Records.filter((_, i) => !refused.has(i)) })
  },
  join(answer, refused, { name: ErrorCode }) {
    const rest = [...((parsed(answer) as PutAnswer).Records ?? [])]
    const all = Array.from({ length: rest.length + refused.size }, (_, i) =>
      refused.has(i) ? { ErrorCode, ErrorMessage: 'as the soak wants it' } : rest.shift(),
    )
    return withBody(answer, { FailedRecordCount: refused.size, Records: all })
  },
  taken(answer, { messages }) {
    const { Records = [] } = answer.status === 200 ? (parsed(answer) as PutAnswer) : {}
    return messages.map((_, i) => Records[i]?.SequenceNumber !== undefined)
  },
}

/** A record is `{"metadata":…,"data":…}`; the bytes of its data are what was published. */
function messageOf(record: Buffer) {
  const { metadata } = JSON.parse(record.toString()) as {
    readonly metadata: Readonly<Record<string, string>>
  }
  const begin = record.indexOf('},"data":') + '},"data":'.length
  return { eventId: metadata['event-id'] ?? '', data: record.subarray(begin, -1) }
}

/** Streams of Kinesis, one for each destination. */
export async function startStreams(ledger: Ledger): Promise<TypeServer> {
  const server = await startKinesisServer()
  const front = await startAwsFront(server.url, PROTOCOL, ledger)
  const ids: string[] = []
  return {
    type: 'cloud_a_stream',
    seesTries: true,
    async add(place) {
      front.add(place)
      ids.push(place.id)
      await ask(server.url, 'CreateStream', { StreamName: place.id, ShardCount: 1 })
      await waitFor(
        async () => {
          const answer = await ask(server.url, 'DescribeStream', { StreamName: place.id })
          return answer.body.includes('"ACTIVE"')
        },
        { what: `stream ${place.id}` },
      )
      return {
        config: { stream_name: place.id, region: REGION, endpoint: front.url },
        credentials: ACCESS_KEY,
      }
    },
    async drain() {
      for (const id of ids) {
        const held = await recordsIn(server.url, id)
        if (held !== ledger.taken(id)) {
          ledger.surprise(`stream ${id} has ${held} records, and took ${ledger.taken(id)}`)
        }
      }
    },
    async stop() {
      await front.stop()
      await server.stop()
    },
  }
}

/** The server looks at the form of a signature alone. */
const SIGNED = {
  'x-amz-date': '20200101T000000Z',
  authorization: `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY.key}/20200101/${REGION}/kinesis/aws4_request, SignedHeaders=host;x-amz-date, Signature=00`,
}

async function ask(url: string, operation: string, body: object): Promise<CallAnswer> {
  return forward(url, {
    method: 'POST',
    path: '/',
    headers: {
      ...SIGNED,
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `Kinesis_20131202.${operation}`,
    },
    body: Buffer.from(JSON.stringify(body)),
  })
}

async function recordsIn(url: string, StreamName: string): Promise<number> {
  const shard = { StreamName, ShardId: 'shardId-000000000000', ShardIteratorType: 'TRIM_HORIZON' }
  const first = parsed(await ask(url, 'GetShardIterator', shard)) as { ShardIterator: string }
  let ShardIterator = first.ShardIterator
  let count = 0
  for (;;) {
    const page = parsed(await ask(url, 'GetRecords', { ShardIterator })) as {
      readonly Records: readonly unknown[]
      readonly NextShardIterator: string
    }
    if (page.Records.length === 0) return count
    count += page.Records.length
    ShardIterator = page.NextShardIterator
  }
}

import {
  CreateStreamCommand,
  DescribeStreamSummaryCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  KinesisClient,
} from '@aws-sdk/client-kinesis'
import type { DeliveryDestination, StringMap } from '@postrider/common'
import {
  type AwsFaults,
  createHold,
  type KinesisServer,
  startAwsFaults,
  startKinesisServer,
  waitFor,
} from '@postrider/testkit'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import type { Sender, SendRequest, SendResult } from '../src/destination-type.ts'
import { answerOf, awsDestination, clientOptions, REGION } from './aws.ts'
import { describeAwsFailures } from './aws-failures.suite.ts'
import { DATA, sendRequest } from './factories.ts'
import { openSender } from './open-sender.ts'

const MIB = 1024 * 1024

describe('sender to Kinesis', () => {
  let server: KinesisServer
  let faults: AwsFaults
  let client: KinesisClient
  let sender: Sender
  let stream: string
  let streams = 0

  beforeAll(async () => {
    server = await startKinesisServer()
    const requestHandler = new NodeHttpHandler()
    client = new KinesisClient({ ...clientOptions(server.url), requestHandler })
  })

  beforeEach(async () => {
    faults = await startAwsFaults(server.url)
    sender = openSender('cloud_a_stream')
    stream = `orders-${(streams += 1)}`
    await client.send(new CreateStreamCommand({ StreamName: stream, ShardCount: 1 }))
    const describe = new DescribeStreamSummaryCommand({ StreamName: stream })
    const isActive = async (): Promise<boolean> => {
      const { StreamDescriptionSummary: summary } = await client.send(describe)
      return summary?.StreamStatus === 'ACTIVE'
    }
    await waitFor(isActive, { what: 'the stream' })
  })

  afterEach(async () => {
    await sender.stop()
    await faults.stop()
  })

  afterAll(async () => {
    client.destroy()
    await server.stop()
  })

  /** To the test's stream, by way of the faults. */
  function destination(
    config: StringMap = {},
    changes: Partial<DeliveryDestination> = {},
  ): DeliveryDestination {
    const at = { stream_name: stream, region: REGION, endpoint: faults.url }
    return awsDestination('cloud_a_stream', { ...at, ...config }, changes)
  }

  async function send(
    to: DeliveryDestination = destination(),
    changes: Partial<SendRequest> = {},
  ): Promise<SendResult> {
    return sender.send(sendRequest(to, changes))
  }

  async function received() {
    const { ShardIterator } = await client.send(
      new GetShardIteratorCommand({
        StreamName: stream,
        ShardId: 'shardId-000000000000',
        ShardIteratorType: 'TRIM_HORIZON',
      }),
    )
    const { Records = [] } = await client.send(new GetRecordsCommand({ ShardIterator }))
    return Records.map(({ Data = [], PartitionKey, SequenceNumber }) => ({
      text: Buffer.from(Data).toString('utf8'),
      key: PartitionKey,
      sequenceNumber: SequenceNumber,
    }))
  }

  it('puts the bytes of the data into an object with the metadata', async () => {
    const result = await send(
      destination({}, { deliveryMetadata: { team: 'billing', a: 'theirs' } }),
      {
        metadata: { a: 'event', city: 'Köln 😀', topic: 'forged' },
      },
    )

    const [record] = await received()
    const metadata = `{"team":"billing","a":"event","city":"Köln 😀","topic":"user.created","event-id":"evt_1","timestamp":"1700000000"}`
    expect(record?.text).toBe(`{"metadata":${metadata},"data":${DATA.toString('utf8')}}`)
    expect(record?.key).toBe('evt_1')
    expect(result).toMatchObject({ status: 'success', code: '200' })
    expect(answerOf(result)).toMatchObject({
      status: 200,
      shard_id: 'shardId-000000000000',
      sequence_number: record?.sequenceNumber,
    })
  })

  it('puts the bare data where the operator wants it so', async () => {
    await sender.stop()
    sender = openSender('cloud_a_stream', { kinesisMetadataInPayload: false })
    await send()

    expect(await received()).toMatchObject([{ text: DATA.toString('utf8') }])
  })

  it.each([
    [`join('-', [data.u, metadata.topic])`, 'éé-user.created'],
    ['to_string(data.f)', '1.1'],
    ['data.missing', 'evt_1'],
  ])('makes the partition key by the template %s', async (partition_key_template, key) => {
    await send(destination({ partition_key_template }))

    expect(await received()).toMatchObject([{ key }])
  })

  it.each([
    [`''`, '""', /empty key/],
    ['data', `"${'x'.repeat(257)}"`, /key of 257 characters/],
    ['data', String.raw`"\ud800"`, /not Unicode/],
    ['data', '[]', /list or object/],
  ])('refuses the key that the template %s makes of %j', async (template, data, reason) => {
    const to = destination({ partition_key_template: template })
    const result = await send(to, { data: Buffer.from(data) })

    expect(result).toMatchObject({ status: 'failed', code: 'unsendable' })
    expect(answerOf(result)['body']).toMatch(reason)
    expect(faults.calls).toEqual([])
  })

  it('takes a key of as many characters as Kinesis does', async () => {
    const data = Buffer.from(`"${'x'.repeat(256)}"`)

    expect(await send(destination({ partition_key_template: 'data' }), { data })).toMatchObject({
      status: 'success',
    })
  })

  it('lets records that come together share calls', async () => {
    const hold = createHold()
    faults.hold(hold.released)
    const to = destination()
    const first = send(to, { eventId: 'evt_first' })
    await waitFor(() => faults.calls.length === 1, { what: 'a call for one that came alone' })
    const ids = Array.from({ length: 100 }, (_, i) => `evt_${i}`)
    const sends = ids.map(async (eventId) => send(to, { eventId }))
    hold.release()

    const results = await Promise.all([first, ...sends])
    expect(results.map(({ code }) => code)).toEqual(['200', ...ids.map(() => '200')])
    expect(faults.calls).toHaveLength(2)
    expect((await received()).map(({ key }) => key)).toEqual(['evt_first', ...ids])
  })

  it('fails only those records of a call that Kinesis refuses', async () => {
    const throttled = {
      ErrorCode: 'ProvisionedThroughputExceededException',
      ErrorMessage: 'Rate exceeded for shard',
    }
    const failed = { ErrorCode: 'InternalFailure', ErrorMessage: 'Internal Service Failure' }
    const good = { SequenceNumber: '1', ShardId: 'shardId-000000000000' }
    faults.next({ body: { FailedRecordCount: 2, Records: [good, throttled, failed] } })
    const to = destination()
    const results = await Promise.all([0, 1, 2, 3].map(async () => send(to)))

    expect(results.map(({ code }) => code)).toEqual([
      '200',
      'throttled',
      'service_error',
      'protocol_error',
    ])
    expect(results.map(answerOf)[1]).toMatchObject({
      error: 'ProvisionedThroughputExceededException',
      body: 'Rate exceeded for shard',
    })
  })

  it('finds the one record for which Kinesis refuses all of a call', async () => {
    const refusal = { error: 'ValidationException' }
    faults.next(refusal, refusal, refusal)
    const to = destination()
    const results = await Promise.all([0, 1, 2, 3].map(async () => send(to)))

    expect(results.map(({ code }) => code)).toEqual(['service_error', '200', '200', '200'])
  })

  it('sends alone what the stream may find too large, and says so when it does', async () => {
    const large = Buffer.from(`"${'x'.repeat(1.5 * MIB)}"`)
    const to = destination()
    const results = await Promise.all([send(to), send(to, { data: large }), send(to)])

    expect(results.map(({ code }) => code)).toEqual(['200', 'too_large', '200'])
    expect(answerOf(results[1])).toMatchObject({ status: 400, error: 'ValidationException' })
    expect(faults.calls).toHaveLength(3)
  })

  it('refuses what no stream takes', async () => {
    const result = await send(destination(), { data: Buffer.alloc(10 * MIB, 0x20) })

    expect(result.code).toBe('too_large')
    expect(answerOf(result)['body']).toMatch(
      /^The record has \d+ bytes with its key; Kinesis takes 10485760\.$/,
    )
    expect(faults.calls).toEqual([])
  })

  it('tells of a stream that is not there', async () => {
    const result = await send(destination({ stream_name: 'gone' }))

    expect(result).toMatchObject({ status: 'failed', code: 'stream_not_found' })
    expect(answerOf(result)).toMatchObject({ status: 400, error: 'ResourceNotFoundException' })
  })

  describeAwsFailures(() => ({ faults, sender, destination, send }), {
    answers: [
      [{ error: 'UnrecognizedClientException' }, 'auth_failed'],
      [{ error: 'InvalidSignatureException' }, 'auth_failed'],
      [{ error: 'ExpiredTokenException' }, 'auth_failed'],
      [{ error: 'AccessDeniedException' }, 'access_denied'],
      [{ error: 'KMSAccessDeniedException' }, 'access_denied'],
      [{ error: 'ProvisionedThroughputExceededException' }, 'throttled'],
      [{ error: 'LimitExceededException' }, 'throttled'],
      [{ error: 'KMSThrottlingException' }, 'throttled'],
      [{ body: '', status: 413 }, 'too_large'],
      [{ error: 'InternalFailure', status: 500 }, 'service_error'],
      [{ body: '<html>Bad Gateway</html>', status: 502 }, 'service_error'],
      [{ body: {} }, 'protocol_error'],
    ],
  })

  it('tells of settings with which nothing can be sent', async () => {
    const to = destination({ partition_key_template: '[' })

    expect(await send(to)).toMatchObject({ code: 'unsendable' })
  })
})

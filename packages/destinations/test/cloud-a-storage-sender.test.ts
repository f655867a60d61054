import { createHash } from 'node:crypto'
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import type { DeliveryDestination, StringMap } from '@postrider/common'
import {
  type AwsFaults,
  type AwsServer,
  createHold,
  startAwsFaults,
  startAwsServer,
  waitFor,
} from '@postrider/testkit'
import type { Sender, SendRequest, SendResult } from '../src/destination-type.ts'
import { answerOf, awsDestination, clientOptions, REGION } from './aws.ts'
import { describeAwsFailures } from './aws-failures.suite.ts'
import { DATA, sendRequest } from './factories.ts'
import { openSender } from './open-sender.ts'

const DEFAULT_KEY = '2023-11-14T22:13:20.999Z_evt_1.json'

describe('sender to S3', () => {
  let server: AwsServer
  let faults: AwsFaults
  let client: S3Client
  let sender: Sender
  let bucket: string
  let buckets = 0

  beforeAll(async () => {
    server = await startAwsServer()
    client = new S3Client({ ...clientOptions(server.url), forcePathStyle: true })
  })

  beforeEach(async () => {
    faults = await startAwsFaults(server.url)
    sender = openSender('cloud_a_storage')
    bucket = `events-${(buckets += 1)}`
    server.createBucket(bucket)
  })

  afterEach(async () => {
    await sender.stop()
    await faults.stop()
  })

  afterAll(async () => {
    client.destroy()
    await server.stop()
  })

  /** To the test's bucket, by way of the faults. */
  function destination(
    config: StringMap = {},
    changes: Partial<DeliveryDestination> = {},
  ): DeliveryDestination {
    const at = { bucket, region: REGION, endpoint: faults.url }
    return awsDestination('cloud_a_storage', { ...at, ...config }, changes)
  }

  async function send(
    to: DeliveryDestination = destination(),
    changes: Partial<SendRequest> = {},
  ): Promise<SendResult> {
    return sender.send(sendRequest(to, changes))
  }

  async function keys(): Promise<readonly (string | undefined)[]> {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
    return Contents.map(({ Key }) => Key)
  }

  async function objectAt(key: string) {
    const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    const body = Buffer.from((await got.Body?.transformToByteArray()) ?? [])
    return { body, type: got.ContentType, metadata: got.Metadata, etag: got.ETag }
  }

  it('writes the bytes of the data with their type, checksum and metadata', async () => {
    const result = await send(
      destination({}, { deliveryMetadata: { team: 'billing', A: 'theirs' } }),
      {
        metadata: { a: 'event', city: 'Köln 😀', odd: ' =?x?= ', topic: 'forged' },
      },
    )

    const object = await objectAt(DEFAULT_KEY)
    expect(object.body).toEqual(DATA)
    expect(object.type).toBe('application/json')
    expect(object.metadata).toEqual({
      team: 'billing',
      a: 'event',
      city: '=?UTF-8?B?S8O2bG4g8J+YgA==?=',
      odd: '=?UTF-8?B?ID0/eD89IA==?=',
      'event-id': 'evt_1',
      topic: 'user.created',
      timestamp: '1700000000',
    })
    expect(faults.calls[0]?.headers['x-amz-checksum-sha256']).toBe(
      createHash('sha256').update(DATA).digest('base64'),
    )
    expect(result).toMatchObject({ status: 'success', code: '200' })
    expect(answerOf(result)).toMatchObject({ status: 200, key: DEFAULT_KEY, etag: object.etag })
  })

  it('writes the same object again when it is tried again', async () => {
    await send()
    await send(destination(), { attemptTimeMs: 1_800_000_000_000 })

    expect(await keys()).toEqual([DEFAULT_KEY])
  })

  it.each([
    [
      `join('', [time.year, '/', time.month, '/', time.day, '/', time.hour, time.minute, time.second, '-', metadata."event-id"])`,
      '2023/11/14/221320-evt_1',
    ],
    [
      `join('_', [time.date, time.datetime, time.unix])`,
      '2023-11-14_2023-11-14T22:13:20_1700000000',
    ],
    [`join('/', [metadata.topic, data.u, to_string(data.f)])`, 'user.created/éé/1.1'],
    ['data.missing', DEFAULT_KEY],
    [`join('', ['a b+c&d?e#f%', data.u, '*~'])`, 'a b+c&d?e#f%éé*~'],
  ])('names the object by the template %s', async (key_template, key) => {
    expect(await send(destination({ key_template }))).toMatchObject({ status: 'success' })
    expect(await keys()).toEqual([key])
  })

  it.each([
    [`''`, '""', /empty key/],
    ['data', `"${'x'.repeat(1025)}"`, /key of 1025 bytes/],
    ['data', String.raw`"\ud800"`, /not Unicode/],
    ['data', '"../elsewhere"', /"\."/],
    ['data', '{}', /list or object/],
    [`join('', [data.n])`, '{"n":1}', /fails on this event/],
  ])('refuses the key that the template %s makes of %j', async (key_template, data, reason) => {
    const result = await send(destination({ key_template }), { data: Buffer.from(data) })

    expect(result).toMatchObject({ status: 'failed', code: 'unsendable' })
    expect(answerOf(result)['body']).toMatch(reason)
    expect(faults.calls).toEqual([])
  })

  it('asks for a storage class when the destination has one', async () => {
    await send(destination({ storage_class: 'GLACIER_IR' }))
    await send(destination({}, { version: 2 }))

    expect(faults.calls.map(({ headers }) => headers['x-amz-storage-class'])).toEqual([
      'GLACIER_IR',
      undefined,
    ])
  })

  it('refuses more metadata than S3 takes', async () => {
    const result = await send(destination(), { metadata: { note: 'x'.repeat(2048) } })

    expect(result.code).toBe('too_large')
    expect(answerOf(result)['body']).toMatch(/^The metadata has \d+ bytes; S3 takes 2048\.$/)
    expect(faults.calls).toEqual([])
  })

  it('writes objects of one destination next to each other', async () => {
    const hold = createHold()
    faults.hold(hold.released)
    const ids = Array.from({ length: 32 }, (_, i) => `evt_${i}`)
    const to = destination()
    const sends = ids.map(async (eventId) => send(to, { eventId }))
    await waitFor(() => faults.calls.length === ids.length, { what: 'all calls' })
    hold.release()

    const results = await Promise.all(sends)
    expect(results.map(({ code }) => code)).toEqual(ids.map(() => '200'))
    expect(await keys()).toHaveLength(ids.length)
  })

  it('writes large data without asking before', async () => {
    const data = Buffer.from(`"${'x'.repeat(3 * 1024 * 1024)}"`)

    expect(await send(destination(), { data })).toMatchObject({ status: 'success' })
    expect((await objectAt(DEFAULT_KEY)).body.equals(data)).toBe(true)
    expect(faults.calls[0]?.headers.expect).toBeUndefined()
  })

  it('tells of a bucket that is not there', async () => {
    const result = await send(destination({ bucket: 'gone' }))

    expect(result).toMatchObject({ status: 'failed', code: 'bucket_not_found' })
    expect(answerOf(result)).toMatchObject({ status: 404, error: 'NoSuchBucket' })
  })

  describeAwsFailures(() => ({ faults, sender, destination, send }), {
    answers: [
      [{ error: 'InvalidAccessKeyId', status: 403 }, 'auth_failed'],
      [{ error: 'SignatureDoesNotMatch', status: 403 }, 'auth_failed'],
      [{ error: 'ExpiredToken' }, 'auth_failed'],
      [{ error: 'AccessDenied', status: 403 }, 'access_denied'],
      [{ body: '', status: 403 }, 'access_denied'],
      [{ error: 'PermanentRedirect', status: 301 }, 'wrong_region'],
      [{ error: 'AuthorizationHeaderMalformed' }, 'wrong_region'],
      [{ error: 'SlowDown', status: 503 }, 'throttled'],
      [{ error: 'EntityTooLarge' }, 'too_large'],
      [{ error: 'MetadataTooLarge' }, 'too_large'],
      [{ error: 'InternalError', status: 500 }, 'service_error'],
      [{ body: 'oops', status: 502 }, 'service_error'],
    ],
  })

  it('tells of settings with which nothing can be sent', async () => {
    expect(await send(destination({ key_template: '[' }))).toMatchObject({ code: 'unsendable' })
  })
})

import type { DeliveryDestination } from '@postrider/common'
import { type Answer, type Receiver, startBrokenReceiver, startReceiver } from '@postrider/testkit'
import type { Sender, SendResult } from '../src/destination-type.ts'
import { AWS_CONFIG, AWS_TYPES, awsDestination, REGION } from './aws.ts'
import { sendRequest } from './factories.ts'
import { openSender } from './open-sender.ts'
import { failure } from './results.ts'

const DEEP = '['.repeat(50_000) + ']'.repeat(50_000)
const LONG = 'x'.repeat(100_000)

/** Answers of success in which the SDKs find what their types do not let them find. */
const SUCCESSES: Readonly<Record<string, string>> = {
  nothing: '',
  null: 'null',
  'a list': '[]',
  'lists that are objects':
    '{"Successful":{"0":{"Id":"0"}},"Records":{"0":{"SequenceNumber":"1"}}}',
  'lists that are texts': '{"Successful":"0","Failed":"0","Records":"0"}',
  'members of a prototype': '{"Successful":{"__proto__":[]},"Records":{"__proto__":[]}}',
  'entries that are none': '{"Successful":[null,3,"x"],"Failed":[null],"Records":[null]}',
  'ids that are objects':
    '{"Successful":[{"Id":{},"MessageId":{}}],"Records":[{"SequenceNumber":{},"ShardId":[1]}]}',
  'errors that are objects':
    '{"Failed":[{"Id":"0","Code":{},"Message":[1]}],"Records":[{"ErrorCode":{},"ErrorMessage":[1]}]}',
  'lists in lists': `{"Successful":[{"Id":"0","MessageId":${DEEP}}],"Records":[{"SequenceNumber":${DEEP}}]}`,
}

/** Refusals of the same kind. */
const REFUSALS: Readonly<Record<string, string>> = {
  'a name that is an object': '{"__type":{},"message":{}}',
  'a code that is a list': '{"code":["x"],"Message":5}',
  'a message of lists in lists': `{"__type":"X","message":${DEEP}}`,
  'two codes':
    '<Error><Code>a</Code><Code>b</Code><Message>c</Message><Message>d</Message></Error>',
  'a code with elements': '<Error><Code><x>1</x></Code><Message><y/></Message></Error>',
  'members of a prototype': '<Error><__proto__>x</__proto__><constructor>y</constructor></Error>',
  'elements in elements': '<a>'.repeat(60_000),
  'entities in entities': `<!DOCTYPE x [<!ENTITY a "${'y'.repeat(1000)}"><!ENTITY b "${'&a;'.repeat(1000)}">]><Error><Code>${'&b;'.repeat(1000)}</Code></Error>`,
  'the beginnings of entities': `<Error><Message>${'&'.repeat(250_000)}</Message></Error>`,
  'the beginnings of comments': '<!--'.repeat(60_000),
}

describe.each(AWS_TYPES)('sender of %s to a server that means harm', (type) => {
  let receiver: Receiver
  let sender: Sender
  let destination: DeliveryDestination

  beforeEach(async () => {
    receiver = await startReceiver()
    sender = openSender(type)
    destination = awsDestination(type, { ...AWS_CONFIG, endpoint: receiver.url })
  })

  afterEach(async () => {
    await sender.stop()
    await receiver.stop()
  })

  async function answered(answer: Answer): Promise<SendResult> {
    receiver.answer(answer)
    return sender.send(sendRequest(destination))
  }

  it.each(Object.keys(SUCCESSES))(
    'does not take for its own fault an answer of %s',
    async (name) => {
      const result = await answered({ status: 200, body: SUCCESSES[name] ?? '' })

      // S3 says nothing in its bodies.
      const codes =
        type === 'cloud_a_storage' ? ['200'] : ['200', 'protocol_error', 'service_error']
      expect(codes).toContain(result.code)
      expectKeepable(result)
    },
  )

  it.each(Object.keys(REFUSALS))(
    'does not take for its own fault a refusal of %s',
    async (name) => {
      const result = await answered({ status: 400, body: REFUSALS[name] ?? '' })

      expect(result).toMatchObject({ status: 'failed', code: 'service_error' })
      expectKeepable(result)
    },
  )

  it('keeps little of ids that are long, and nothing that Postgres cannot', async () => {
    const id = String.raw`a\u0000b\ud800${LONG}`
    const { code, response } = await answered({
      status: 200,
      headers: { etag: LONG.slice(0, 8000), 'x-amzn-requestid': LONG.slice(0, 4000) },
      body:
        type === 'cloud_a_storage'
          ? ''
          : `{"Successful":[{"Id":"0","MessageId":"${id}"}],"Records":[{"SequenceNumber":"${id}"}]}`,
    })

    expect(code).toBe('200')
    const head = JSON.stringify(response?.head)
    expect(head.length).toBeLessThan(4096)
    expect(head).not.toMatch(/\\u0000|\\ud800/)
  })

  it('reads no more of a success than an answer can be', async () => {
    const result = await answered({ status: 200, body: Buffer.alloc(8 * 1024 ** 2, ' ') })

    expect(result).toMatchObject({ status: 'failed', code: 'protocol_error' })
  })

  it.each([
    ['301', { location: 'http://127.0.0.1:1/', 'x-amz-bucket-region': 'us-east-2' }],
    ['307', { location: 'http://127.0.0.1:1/' }],
  ])('goes nowhere else when it is told to: %s', async (status, headers) => {
    const body = '<Error><Code>PermanentRedirect</Code><Endpoint>127.0.0.1:1</Endpoint></Error>'
    const result = await answered({ status: Number(status), headers, body })

    expect(result.status).toBe('failed')
    expect(receiver.requests).toHaveLength(1)
  })

  it('gives up on one that has something to say ahead of its answer for ever', async () => {
    const broken = await startBrokenReceiver('endless_early_hints')
    const to = awsDestination(type, { ...AWS_CONFIG, endpoint: broken.url })

    expect(await sender.send(sendRequest(to))).toMatchObject({ code: 'protocol_error' })
    await broken.stop()
  })
})

/** Postgres gets it as one line of JSON with everybody else's. */
function expectKeepable({ response }: SendResult): void {
  expect(JSON.stringify(response?.head ?? {}).length).toBeLessThan(4096)
  expect(response?.body.length ?? 0).toBeLessThan(10_000)
}

describe('settings from which the SDKs make no request', () => {
  it.each([
    ['cloud_a_queue', { queue_url: 'https://queue.test/1/orders', region: 'fips-us-east-1' }],
    ['cloud_a_stream', { stream_name: 'orders', region: 'fips-us-east-1' }],
    ['cloud_a_storage', { bucket: 'my-events', region: 'us-east-1-fips' }],
    ['cloud_a_storage', { bucket: `${'a'.repeat(55)}--op-s3`, region: REGION }],
    ['cloud_a_storage', { bucket: 'a--x-s3', region: REGION }],
  ])('are the tenant’s to mend: %s, %j', async (type, config) => {
    const receiver = await startReceiver()
    const sender = openSender(type)
    const to = awsDestination(type, { ...config, endpoint: receiver.url })

    expect(await sender.send(sendRequest(to))).toEqual(failure('unsendable'))
    await sender.stop()
    await receiver.stop()
  })

  it('are so without an endpoint, too', async () => {
    const sender = openSender('cloud_a_storage')
    const to = awsDestination('cloud_a_storage', { bucket: 'a--x-s3', region: REGION })

    expect(await sender.send(sendRequest(to))).toEqual(failure('unsendable'))
    await sender.stop()
  })
})

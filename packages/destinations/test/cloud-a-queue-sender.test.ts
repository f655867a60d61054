import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
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
import { ACCESS_KEY, answerOf, awsDestination, clientOptions, REGION } from './aws.ts'
import { describeAwsFailures } from './aws-failures.suite.ts'
import { DATA, sendRequest } from './factories.ts'
import { openSender } from './open-sender.ts'
import { failure } from './results.ts'

const MAX_BYTES = 1024 * 1024

describe('sender to SQS', () => {
  let server: AwsServer
  let faults: AwsFaults
  let client: SQSClient
  let sender: Sender
  let queueUrl: string
  let queues = 0

  beforeAll(async () => {
    server = await startAwsServer()
    client = new SQSClient(clientOptions(server.url))
  })

  beforeEach(async () => {
    faults = await startAwsFaults(server.url)
    sender = openSender('cloud_a_queue')
    queueUrl = server.createQueue(`orders-${(queues += 1)}`, REGION)
  })

  afterEach(async () => {
    await sender.stop()
    await faults.stop()
  })

  afterAll(async () => {
    client.destroy()
    await server.stop()
  })

  /** To the test's queue, by way of the faults. */
  function destination(
    config: StringMap = {},
    changes: Partial<DeliveryDestination> = {},
  ): DeliveryDestination {
    const at = { queue_url: queueUrl, region: 'eu-west-1', endpoint: faults.url }
    return awsDestination('cloud_a_queue', { ...at, ...config }, changes)
  }

  async function send(
    to: DeliveryDestination = destination(),
    changes: Partial<SendRequest> = {},
  ): Promise<SendResult> {
    return sender.send(sendRequest(to, changes))
  }

  async function received(url = queueUrl) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    )
    if (Messages.length > 0) {
      const Entries = Messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }))
      await client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }))
    }
    return Messages.map(({ Body = '', Attributes = {}, MessageAttributes = {}, MessageId }) => ({
      id: MessageId,
      body: Body,
      system: Attributes,
      attributes: Object.fromEntries(
        Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]),
      ),
    }))
  }

  it('sends the bytes of the data with the metadata as attributes', async () => {
    const result = await send(
      destination({}, { deliveryMetadata: { team: 'billing', a: 'theirs' } }),
      {
        metadata: { a: 'event', city: 'Köln 😀', topic: 'forged' },
      },
    )

    const [message] = await received()
    expect(Buffer.from(message?.body ?? '')).toEqual(DATA)
    const metadata = {
      team: 'billing',
      a: 'event',
      city: 'Köln 😀',
      'event-id': 'evt_1',
      topic: 'user.created',
      timestamp: '1700000000',
    }
    const { metadata: all = '', ...each } = message?.attributes ?? {}
    expect(each).toEqual(metadata)
    expect(JSON.parse(all)).toEqual(metadata)
    expect(result).toMatchObject({ status: 'success', code: '200' })
    expect(answerOf(result)).toMatchObject({ status: 200, message_id: message?.id })
  })

  it('gives attributes to the first nine keys that can have one, and has all of them as JSON', async () => {
    const metadata = {
      metadata: 'reserved',
      'AWS.Trace': 'reserved',
      'two..dots': 'no name',
      'dot.': 'no name',
      'a space': 'no name',
      empty: '',
      bell: '\u0007\uFFFE',
      ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`k${i}`, String(i)])),
    }
    expect(await send(destination(), { metadata })).toMatchObject({ status: 'success' })

    const [message] = await received()
    const { metadata: all = '', ...each } = message?.attributes ?? {}
    expect(Object.keys(each).toSorted()).toEqual(
      ['event-id', 'topic', 'timestamp', 'k0', 'k1', 'k2', 'k3', 'k4', 'k5'].toSorted(),
    )
    expect(JSON.parse(all)).toEqual({
      ...metadata,
      'event-id': 'evt_1',
      topic: 'user.created',
      timestamp: '1700000000',
    })
  })

  it('gives a FIFO queue the group of the destination, or else its tenant, and the id of the event', async () => {
    const queue_url = server.createQueue(`ordered-${queues}.fifo`, REGION)
    const eventId = 'a.b_c:d-1'
    await send(destination({ queue_url }), { eventId })
    await send(destination({ queue_url }), { eventId })
    await send(destination({ queue_url, message_group_id: 'all' }, { version: 2 }))

    const messages = await received(queue_url)
    expect(
      messages.map(({ system }) => [system.MessageGroupId, system.MessageDeduplicationId]),
    ).toEqual([
      ['acme', eventId],
      ['all', 'evt_1'],
    ])
  })

  it('sends one that comes alone at once, and lets those that come together share calls', async () => {
    const hold = createHold()
    const to = destination()
    const ids = Array.from({ length: 64 }, (_, i) => `evt_${i}`)
    faults.hold(hold.released)
    const sends = ids.map(async (eventId) => send(to, { eventId }))
    await waitFor(() => faults.calls.length === 4, { what: 'four calls' })
    hold.release()
    const results = await Promise.all(sends)

    expect(results.map(({ code }) => code)).toEqual(ids.map(() => '200'))
    expect(faults.calls.length).toBe(7)
    const arrived = new Set<string | undefined>()
    while (arrived.size < ids.length) {
      const messages = await received()
      expect(messages).not.toEqual([])
      for (const { attributes } of messages) arrived.add(attributes['event-id'])
    }
  })

  it('shares a call only as far as its bytes go', async () => {
    const data = Buffer.from(`"${'x'.repeat(MAX_BYTES * 0.4)}"`)
    const to = destination()
    const results = await Promise.all([1, 2, 3].map(async () => send(to, { data })))

    expect(results.map(({ code }) => code)).toEqual(['200', '200', '200'])
    expect(faults.calls.length).toBe(2)
  })

  it('fails only those messages of a call that SQS refuses', async () => {
    faults.next({
      body: {
        Successful: [{ Id: '0', MessageId: 'm', MD5OfMessageBody: 'd' }],
        Failed: [
          { Id: '1', SenderFault: false, Code: 'RequestThrottled', Message: 'slower' },
          { Id: '2', SenderFault: true, Code: 'KmsAccessDenied', Message: 'no key' },
        ],
      },
    })
    const to = destination()
    const results = await Promise.all([0, 1, 2, 3].map(async () => send(to)))

    expect(results.map(({ code }) => code)).toEqual([
      '200',
      'throttled',
      'access_denied',
      'protocol_error',
    ])
    expect(answerOf(results[2])).toMatchObject({
      error: 'KmsAccessDenied',
      body: 'no key',
    })
  })

  it('finds the one message for which SQS refuses all of a call', async () => {
    faults.next(
      { error: 'InvalidMessageContents' },
      { error: 'InvalidMessageContents' },
      {
        error: 'InvalidMessageContents',
      },
    )
    const to = destination()
    const results = await Promise.all([0, 1, 2, 3].map(async () => send(to)))

    expect(results.map(({ code }) => code)).toEqual(['service_error', '200', '200', '200'])
  })

  it('tells of a queue that is not there', async () => {
    const result = await send(destination({ queue_url: `${queueUrl}-gone` }))

    expect(result).toMatchObject({ status: 'failed', code: 'queue_not_found' })
    expect(answerOf(result)).toMatchObject({ status: 400, error: 'QueueDoesNotExist' })
  })

  describeAwsFailures(() => ({ faults, sender, destination, send }), {
    answers: [
      [{ error: 'UnrecognizedClientException', status: 403 }, 'auth_failed'],
      [{ error: 'InvalidClientTokenId', status: 403 }, 'auth_failed'],
      [{ error: 'SignatureDoesNotMatch', status: 403 }, 'auth_failed'],
      [{ error: 'ExpiredTokenException', status: 403 }, 'auth_failed'],
      [{ body: 'Who are you?', status: 401 }, 'auth_failed'],
      [{ error: 'AccessDeniedException', status: 403 }, 'access_denied'],
      [{ error: 'com.amazonaws.sqs#KmsAccessDenied' }, 'access_denied'],
      [{ body: '<html>Forbidden</html>', status: 403 }, 'access_denied'],
      [{ error: 'ThrottlingException' }, 'throttled'],
      [{ error: 'RequestThrottled', status: 403 }, 'throttled'],
      [{ body: '', status: 429 }, 'throttled'],
      [{ error: 'BatchRequestTooLong' }, 'too_large'],
      [{ body: '', status: 413 }, 'too_large'],
      [{ error: 'InternalFailure', status: 500 }, 'service_error'],
      [{ body: '<html>Bad Gateway</html>', status: 502 }, 'service_error'],
      [{ body: '', status: 301, headers: { location: 'http://127.0.0.1:1' } }, 'service_error'],
      [{ body: '<html>Welcome</html>' }, 'protocol_error'],
      [{ body: {} }, 'protocol_error'],
    ],
    configAt: (endpoint) => ({ queue_url: `${endpoint}/000000000000/orders`, endpoint }),
  })

  it('keeps what SQS said, without the secrets that it repeats', async () => {
    const credentials = { ...ACCESS_KEY, session: 'FwoGZXIvYXdzEXAMPLE' }
    const message = `The canonical string should have been\nx-amz-security-token:${credentials.session}`
    faults.next({ error: 'SignatureDoesNotMatch', message, status: 403 })
    const result = await send(destination({}, { credentials }))

    expect(answerOf(result)).toEqual({
      status: 403,
      error: 'SignatureDoesNotMatch',
      request_id: 'injected-request',
      body: 'The canonical string should have been\nx-amz-security-token:…',
    })
  })

  it('passes on the pause that a service asks for', async () => {
    faults.next({ error: 'ThrottlingException', status: 503, headers: { 'retry-after': '7' } })

    expect(await send()).toMatchObject({ code: 'throttled', retryAfterMs: 7000 })
  })

  it('does not read an answer without an end', async () => {
    faults.next({ status: 500, body: 'x'.repeat(2 * MAX_BYTES) })

    expect(await send()).toMatchObject({ code: 'service_error' })
  })

  it('goes to where the URL of the queue says when there is no endpoint', async () => {
    const to = awsDestination('cloud_a_queue', { queue_url: queueUrl })

    expect(await send(to)).toMatchObject({ status: 'success' })
    expect(faults.calls).toEqual([])
    expect(await received()).toHaveLength(1)
  })

  it('lets one that has more time go on in a call that another has given up', async () => {
    const hold = createHold()
    faults.hold(hold.released)
    const to = destination()
    const short = send(to, { eventId: 'evt_short', timeoutMs: 200 })
    const long = send(to, { eventId: 'evt_long' })
    expect(await short).toEqual(failure('timeout'))
    hold.release()

    expect(await long).toMatchObject({ status: 'success' })
    expect(faults.calls.length).toBe(1)
  })

  it('refuses what is larger than SQS takes, and data that it does not take', async () => {
    const large = await send(destination(), { data: Buffer.from(`"${'x'.repeat(MAX_BYTES)}"`) })
    expect(large.code).toBe('too_large')
    expect(answerOf(large)['body']).toMatch(
      /^The message has \d+ bytes with its attributes; SQS takes 1048576\.$/,
    )

    const odd = await send(destination(), { data: Buffer.from('"\uFFFF"') })
    expect(odd.code).toBe('unsendable')
    expect(faults.calls).toEqual([])
  })

  it('takes up to the last byte of the limit', async () => {
    const { message_id: _, ...rest } = answerOf(
      await send(destination(), { data: Buffer.from('""') }),
    )
    const overhead = await attributeBytes()
    const data = Buffer.from(`"${'x'.repeat(MAX_BYTES - overhead - 2)}"`)

    expect(rest).toMatchObject({ status: 200 })
    expect(await send(destination(), { data })).toMatchObject({ status: 'success' })
    const more = Buffer.from(`"${'x'.repeat(MAX_BYTES - overhead - 1)}"`)
    expect(await send(destination(), { data: more })).toMatchObject({ code: 'too_large' })
  })

  /** What SQS counts besides the body of the message that is in the queue. */
  async function attributeBytes(): Promise<number> {
    const [message] = await received()
    return Object.entries(message?.attributes ?? {}).reduce(
      (sum, [name, value = '']) => sum + name.length + 'String'.length + Buffer.byteLength(value),
      0,
    )
  }

  it('tells of settings with which nothing can be sent', async () => {
    expect(await send(destination({ queue_url: 'orders' }))).toMatchObject({ code: 'unsendable' })
  })
})

import type { DeliveryDestination } from '@postrider/common'
import { type Receiver, startReceiver, waitFor } from '@postrider/testkit'
import type { Sender, SendResult } from '../src/destination-type.ts'
import { AWS_CONFIG, AWS_TYPES, awsDestination } from './aws.ts'
import { sendRequest } from './factories.ts'
import { openSender } from './open-sender.ts'
import { failure } from './results.ts'

describe.each(AWS_TYPES)('sender of %s to a server that is broken', (type) => {
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

  async function send(timeoutMs = 5000): Promise<SendResult> {
    return sender.send(sendRequest(destination, { timeoutMs }))
  }

  /** Nothing of the send is left, not even a connection for the next one. */
  async function expectClosed(): Promise<void> {
    await waitFor(() => receiver.openConnections === 0, { what: 'the connection to be closed' })
  }

  it('tells of an answer that is not HTTP', async () => {
    receiver.answer({ fault: 'garbage' })

    expect(await send()).toEqual(failure('protocol_error'))
  })

  it('tells of a refusal that breaks off', async () => {
    receiver.answer({ status: 403, body: '{"__type":"Acc', fault: 'reset_in_body' })

    expect(await send()).toEqual(failure('connection_reset'))
  })

  it.each([
    [403, 'hang_in_body'],
    [403, 'drip'],
    [200, 'hang_in_body'],
    [200, 'drip'],
  ] as const)('gives up in time on an answer without an end: %d, %s', async (status, fault) => {
    receiver.answer({ status, body: '{"__type":"Acc', fault })

    expect(await send(300)).toEqual(failure('timeout'))
    await expectClosed()
  })

  it('reads no more than an answer can be', async () => {
    receiver.answer({ status: 403, body: Buffer.alloc(8 * 1024 ** 2, ' ') })

    expect(await send()).toMatchObject({ status: 'failed', code: 'access_denied' })
    await expectClosed()
  })

  it('keeps what a tenant may read of a long message', async () => {
    const message = 'x'.repeat(100_000)
    const body =
      type === 'cloud_a_storage'
        ? `<Error><Code>Odd</Code><Message>${message}</Message></Error>`
        : JSON.stringify({ __type: 'Odd', message })
    receiver.answer({ status: 400, body })
    const { code, response } = await send()

    expect([code, response?.head, response?.cut]).toEqual([
      'service_error',
      { status: 400, error: 'Odd' },
      true,
    ])
    expect(response?.body.length).toBeLessThan(10_000)
  })
})

import { createHold, type Receiver, startReceiver, verifySignature } from '@postrider/testkit'
import type { SendRequest } from '../src/destination-type.ts'
import type { WebhookSender } from '../src/webhook/sender.ts'
import { DATA, SECRET, sendRequest, webhookDestination, webhookSender } from './factories.ts'

const CAP_BYTES = 1000

describe('webhook sender', () => {
  let receiver: Receiver
  let sender: WebhookSender

  beforeEach(async () => {
    receiver = await startReceiver()
    sender = webhookSender({ settings: { maxResponseBodyBytes: CAP_BYTES } })
  })

  afterEach(async () => {
    await sender.stop()
    await receiver.stop()
  })

  function send(changes: Partial<SendRequest> = {}) {
    return sender.send(sendRequest(webhookDestination(`${receiver.url}/hook?a=1`), changes))
  }

  describe('request', () => {
    it('is a POST of the exact bytes to the path and query of the URL', async () => {
      await send()

      const [request] = receiver.requests
      expect(request).toMatchObject({ method: 'POST', path: '/hook?a=1' })
      expect(request?.body.equals(DATA)).toBe(true)
      expect(request?.headers).toMatchObject({
        host: `127.0.0.1:${receiver.port}`,
        'content-type': 'application/json',
        'content-length': String(DATA.length),
        'user-agent': 'postrider/test',
        'x-service-id': 'evt_1',
        'x-service-timestamp': '1700000000',
        'x-service-topic': 'user.created',
      })
    })

    it('is verified by a receiver with the secret, and with the previous one in its window', async () => {
      const credentials = {
        secret: SECRET,
        previous_secret: 'whsec_previous',
        previous_secret_invalid_at: '2023-11-15T00:00:00.000Z',
      }
      const destination = webhookDestination(receiver.url, { credentials })
      const windowEndMs = Date.parse(credentials.previous_secret_invalid_at)
      await send({ destination, attemptTimeMs: windowEndMs - 1 })
      await send({ destination, attemptTimeMs: windowEndMs })

      const verified = receiver.requests.map(({ headers, body }) =>
        [SECRET, 'whsec_previous', 'whsec_other'].map((secret) =>
          verifySignature({ secret, body, header: String(headers['x-service-signature']) }),
        ),
      )
      expect(verified).toEqual([
        [true, true, false],
        [true, false, false],
      ])
    })

    it('carries custom headers and metadata, once each, with what is not ASCII encoded', async () => {
      const destination = webhookDestination(receiver.url, {
        config: {
          url: receiver.url,
          custom_headers: '{"Authorization":"Bearer x","X-Service-A":"c"}',
        },
        deliveryMetadata: { a: 'delivery', b: 'delivery' },
      })
      await send({ destination, metadata: { a: 'naïve', c: 'a\r\nx-forged: 1' } })

      const [request] = receiver.requests
      const names = request?.rawHeaders.filter((_, i) => i % 2 === 0) ?? []
      expect(new Set(names).size).toBe(names.length)
      expect(request?.headers).toMatchObject({
        authorization: 'Bearer x',
        'x-service-a': 'na%C3%AFve',
        'x-service-b': 'delivery',
        'x-service-c': 'a%0D%0Ax-forged: 1',
      })
      expect(names).not.toContain('x-forged')
    })

    it('goes over connections that are kept', async () => {
      for (let i = 0; i < 10; i++) await send()

      expect(receiver.requests).toHaveLength(10)
      // A connection is free again one turn of the event loop after its answer: two take turns.
      expect(receiver.connections).toBeLessThanOrEqual(2)
    })

    it('waits for no other to the same host', async () => {
      const hold = createHold()
      receiver.answerEvent('evt_slow', { after: hold.released })
      const slow = send({ eventId: 'evt_slow' })
      await receiver.waitFor(1)

      expect(await send()).toMatchObject({ status: 'success' })

      hold.release()
      expect(await slow).toMatchObject({ status: 'success' })
    })

    it('of a destination that validation would not let through is unsendable', async () => {
      const bad = { uid: 'bad', config: { url: 'nonsense' } }

      expect(await send({ destination: webhookDestination('', bad) })).toMatchObject({
        status: 'failed',
        code: 'unsendable',
        response: null,
      })
    })
  })

  describe('answer', () => {
    it.each([200, 201, 202, 204, 299])('%i is a success', async (status) => {
      receiver.answer({ status })

      expect(await send()).toMatchObject({
        status: 'success',
        code: String(status),
        disable: false,
        retryAfterMs: null,
      })
    })

    it.each([300, 304, 400, 401, 404, 429, 500, 503])('%i is a failure', async (status) => {
      receiver.answer({ status })

      expect(await send()).toMatchObject({ status: 'failed', code: String(status), disable: false })
    })

    it('410 is a failure that disables the destination', async () => {
      receiver.answer({ status: 410 })

      expect(await send()).toMatchObject({ status: 'failed', code: '410', disable: true })
    })

    it('that redirects is a failure and is not followed', async () => {
      const other = await startReceiver()
      receiver.answer(
        { status: 302, headers: { location: other.url } },
        { status: 307, headers: { location: other.url } },
      )

      expect(await send()).toMatchObject({ status: 'failed', code: '302' })
      expect(await send()).toMatchObject({ status: 'failed', code: '307' })
      expect(other.connections).toBe(0)
      await other.stop()
    })

    it('is kept with its status, chosen headers and body', async () => {
      receiver.answer({
        status: 503,
        headers: { 'Content-Type': 'text/plain', 'Retry-After': '7', 'X-Other': 'no' },
        body: Buffer.from([0x68, 0x69, 0x00, 0xff]),
      })

      expect((await send()).response).toEqual({
        head: { status: 503, headers: { 'content-type': 'text/plain', 'retry-after': '7' } },
        body: Buffer.from([0x68, 0x69, 0x00, 0xff]),
        cut: false,
      })
    })

    it.each([
      [429, '120', 120_000],
      [503, 'Tue, 14 Nov 2023 22:24:20 GMT', 60_000],
      [503, 'later', null],
      [500, '120', null],
      [200, '120', null],
    ])('%i with Retry-After: %s asks for a pause of %s ms', async (status, value, expected) => {
      receiver.answer({ status, headers: { 'retry-after': value } })

      expect((await send()).retryAfterMs).toBe(expected)
    })

    it('is read to the cap and no further', async () => {
      receiver.answer({ body: 'a'.repeat(CAP_BYTES) }, { body: 'a'.repeat(CAP_BYTES + 1) })
      const exact = await send()
      const more = await send()

      expect(exact).toMatchObject({ status: 'success', response: { cut: false } })
      expect(exact.response?.body).toHaveLength(CAP_BYTES)
      expect(more).toMatchObject({ status: 'success', response: { cut: true } })
      expect(more.response?.body.equals(Buffer.alloc(CAP_BYTES, 'a'))).toBe(true)
    })

    it('without an end is cut at the cap, long before the deadline', async () => {
      receiver.answer({ fault: 'drip', body: 'a'.repeat(CAP_BYTES - 1) })

      const result = await send({ timeoutMs: 30_000 })

      expect(result).toMatchObject({ status: 'success', code: '200', response: { cut: true } })
      expect(result.response?.body).toHaveLength(CAP_BYTES)
    })

    it('may begin with early hints', async () => {
      receiver.answer({ status: 200, earlyHints: true, body: 'ok' })

      expect(await send()).toMatchObject({ status: 'success', code: '200' })
    })
  })

  it('rejects after it was stopped, for that is no fault of the receiver', async () => {
    await sender.stop()
    await sender.stop()

    await expect(send()).rejects.toThrow('stopped')
    expect(receiver.connections).toBe(0)
  })
})

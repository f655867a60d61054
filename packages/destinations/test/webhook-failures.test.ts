import { createServer } from 'node:net'
import {
  createHold,
  type FaultProxy,
  type Hold,
  type Receiver,
  startFaultProxy,
  startFullBacklog,
  startReceiver,
} from '@postrider/testkit'
import type { SendRequest } from '../src/destination-type.ts'
import type { WebhookSender } from '../src/webhook/sender.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { sendRequest, webhookDestination, webhookSender } from './factories.ts'
import { listening } from './raw-server.ts'
import { failure } from './results.ts'
import { UNTRUSTED_TLS } from './tls.ts'

const TIMEOUT_MS = 150

describe('webhook that fails', () => {
  let receiver: Receiver
  let sender: WebhookSender

  beforeEach(async () => {
    receiver = await startReceiver()
    sender = webhookSender()
  })

  afterEach(async () => {
    await sender.stop()
    await receiver.stop()
  })

  function send(url: string, changes: Partial<SendRequest> = {}) {
    return sender.send(sendRequest(webhookDestination(url), changes))
  }

  it('is connection_refused when nobody listens', async () => {
    await receiver.stop()

    expect(await send(receiver.url)).toEqual(failure('connection_refused'))
  })

  it('is connection_reset when the connection breaks before the answer', async () => {
    receiver.answer({ fault: 'reset' })

    expect(await send(receiver.url)).toEqual(failure('connection_reset'))
  })

  it('is connection_reset when the receiver hangs up without an answer', async () => {
    const server = createServer((socket) => void socket.once('data', () => socket.end()))
    const port = await listening(server)

    expect(await send(`http://127.0.0.1:${port}`)).toEqual(failure('connection_reset'))
    server.close()
  })

  it('is protocol_error when the answer is not HTTP', async () => {
    receiver.answer({ fault: 'garbage' })

    expect(await send(receiver.url)).toEqual(failure('protocol_error'))
  })

  it('is tls_error when the receiver does not speak TLS', async () => {
    expect(await send(`https://127.0.0.1:${receiver.port}`)).toEqual(failure('tls_error'))
  })

  it('is tls_error when nobody vouches for the certificate', async () => {
    const untrusted = await startReceiver({ tls: UNTRUSTED_TLS })

    expect(await send(`https://localhost:${untrusted.port}`)).toEqual(failure('tls_error'))
    expect(untrusted.requests).toEqual([])
    await untrusted.stop()
  })

  it('is what the status says when the connection breaks in the body', async () => {
    receiver.answer(
      { fault: 'reset_in_body', headers: { 'content-length': '100' }, body: 'some' },
      { fault: 'reset_in_body', status: 500, headers: { 'content-length': '100' }, body: 'some' },
    )
    const cut = { body: Buffer.from('some'), cut: true }

    expect(await send(receiver.url)).toMatchObject({
      status: 'success',
      code: '200',
      response: cut,
    })
    expect(await send(receiver.url)).toMatchObject({ status: 'failed', code: '500', response: cut })
  })

  it('does not stand in the way of the next one', async () => {
    receiver.answer({ fault: 'reset' }, { fault: 'garbage' })
    await send(receiver.url)
    await send(receiver.url)

    expect(await send(receiver.url)).toMatchObject({ status: 'success' })
  })
})

describe('webhook at its deadline', () => {
  let receiver: Receiver
  let proxy: FaultProxy
  let dns: DnsServer
  let nameKnown: Hold
  let sender: WebhookSender

  beforeEach(async () => {
    receiver = await startReceiver()
    proxy = await startFaultProxy({ port: receiver.port })
    nameKnown = createHold()
    dns = await startDnsServer({ 'slow.test': { a: ['127.0.0.1'], after: nameKnown.released } })
    sender = webhookSender({ guard: { resolver: { servers: [dns.address] } } })
  })

  afterEach(async () => {
    nameKnown.release()
    await sender.stop()
    await dns.stop()
    await proxy.stop()
    await receiver.stop()
  })

  async function sendInTime(url: string, changes: Partial<SendRequest> = {}) {
    const startMs = performance.now()
    const request = sendRequest(webhookDestination(url), { timeoutMs: TIMEOUT_MS, ...changes })
    const result = await sender.send(request)
    const tookMs = performance.now() - startMs
    // Not before the deadline (timers may be a millisecond early), and not long after it.
    expect(tookMs).toBeGreaterThan(TIMEOUT_MS - 2)
    expect(tookMs).toBeLessThan(TIMEOUT_MS + 1000)
    return result
  }

  it('is a timeout while the name is being looked up, and is not sent later', async () => {
    const url = `http://slow.test:${receiver.port}`
    const late = await sendInTime(url)
    nameKnown.release()
    const next = await sender.send(sendRequest(webhookDestination(url), { eventId: 'evt_2' }))

    expect(late).toMatchObject({ status: 'failed', code: 'timeout', response: null })
    expect(next).toMatchObject({ status: 'success' })
    expect(receiver.requests.map((request) => request.eventId)).toEqual(['evt_2'])
  })

  it('is a timeout while the connection is being made', async () => {
    const backlog = await startFullBacklog()

    expect(await sendInTime(`http://127.0.0.1:${backlog.port}`)).toMatchObject({ code: 'timeout' })
    await backlog.stop()
  })

  it('is a timeout in the handshake of TLS', async () => {
    proxy.blackhole(true)

    expect(await sendInTime(`https://127.0.0.1:${proxy.port}`)).toMatchObject({ code: 'timeout' })
  })

  it('is a timeout while the answer is awaited, and the next one does not wait for it', async () => {
    receiver.answer({ fault: 'hang' })
    const result = await sendInTime(`http://127.0.0.1:${proxy.port}`)

    expect(result).toMatchObject({ status: 'failed', code: 'timeout', response: null })
    const again = await sender.send(
      sendRequest(webhookDestination(`http://127.0.0.1:${proxy.port}`)),
    )
    expect(again).toMatchObject({ status: 'success' })
  })

  it.each(['hang_in_body', 'drip'] as const)(
    'is what the status says when the body does not end: %s',
    async (fault) => {
      receiver.answer({ fault, body: 'a' }, { fault, body: 'a', status: 500 })

      expect(await sendInTime(receiver.url)).toMatchObject({
        status: 'success',
        code: '200',
        response: { cut: true },
      })
      expect(await sendInTime(receiver.url)).toMatchObject({ status: 'failed', code: '500' })
    },
  )

  it('is a timeout when the head comes in drops', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('x-a: b\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    const port = await listening(server)

    expect(await sendInTime(`http://127.0.0.1:${port}`)).toMatchObject({ code: 'timeout' })
    server.close()
  })
})

import {
  createHold,
  type ProxyServer,
  type Receiver,
  startForwardProxy,
  startFullBacklog,
  startReceiver,
  waitFor,
} from '@postrider/testkit'
import type { WebhookSender } from '../src/webhook/sender.ts'
import { type CertificateFile, writeCertificateFile } from './certificate-file.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { type SenderChanges, sendRequest, webhookDestination, webhookSender } from './factories.ts'
import { UNTRUSTED_TLS } from './tls.ts'

const TIMEOUT_MS = 400

describe('webhook through a forward proxy', () => {
  let receiver: Receiver
  let proxy: ProxyServer
  let dns: DnsServer
  let ca: CertificateFile
  let senders: WebhookSender[]

  beforeEach(async () => {
    senders = []
    receiver = await startReceiver()
    proxy = await startForwardProxy()
    ca = await writeCertificateFile(UNTRUSTED_TLS.cert)
    dns = await startDnsServer({
      'receiver.test': { a: ['127.0.0.1'] },
      'two.test': { a: ['127.0.0.9', '127.0.0.1'] },
      'inside.test': { a: ['169.254.169.254'] },
    })
  })

  afterEach(async () => {
    await Promise.all(senders.map((each) => each.stop()))
    await Promise.all([dns.stop(), proxy.stop(), receiver.stop(), ca.remove()])
  })

  function sender(changes: SenderChanges = {}): WebhookSender {
    const made = webhookSender({
      proxyUrl: `http://127.0.0.1:${proxy.port}`,
      guard: { resolver: { servers: [dns.address] } },
      ...changes,
      settings: { extraCaFile: ca.path, ...changes.settings },
    })
    senders.push(made)
    return made
  }

  async function send(url: string, changes: SenderChanges = {}) {
    const { timeoutMs = 5000 } = changes
    return sender(changes).send(sendRequest(webhookDestination(url), { timeoutMs }))
  }

  describe('asks', () => {
    it('for the judged address, and the receiver gets the name', async () => {
      const result = await send(`http://receiver.test:${receiver.port}/hook`)

      expect(result).toMatchObject({ status: 'success' })
      expect(proxy.asked.map(({ target }) => target)).toEqual([`127.0.0.1:${receiver.port}`])
      expect(proxy.asked[0]?.headers).toEqual({
        host: `127.0.0.1:${receiver.port}`,
        connection: expect.any(String),
      })
      expect(receiver.requests[0]).toMatchObject({
        path: '/hook',
        headers: { host: `receiver.test:${receiver.port}` },
      })
    })

    it('for the judged address over TLS, in which the receiver is still verified by its name', async () => {
      const secure = await startReceiver({ tls: UNTRUSTED_TLS })
      const byName = await send(`https://receiver.test:${secure.port}`)
      const byAddress = await send(`https://127.0.0.1:${secure.port}`)

      expect(byName).toMatchObject({ status: 'success' })
      expect(secure.requests[0]?.headers.host).toBe(`receiver.test:${secure.port}`)
      expect(secure.serverNames).toEqual(['receiver.test'])
      // The certificate is for names only.
      expect(byAddress).toMatchObject({ code: 'tls_error' })
      expect(proxy.asked.map(({ target }) => target)).toEqual([
        `127.0.0.1:${secure.port}`,
        `127.0.0.1:${secure.port}`,
      ])
      await secure.stop()
    })

    it('for an IPv6 address in brackets, and for the port that the scheme has', async () => {
      proxy.fail(502)
      await send('http://[::1]/')
      await send('https://[::1]/')

      expect(proxy.asked.map(({ target }) => target)).toEqual(['[::1]:80', '[::1]:443'])
    })

    it('for the next address when it cannot reach one', async () => {
      expect(await send(`http://two.test:${receiver.port}`)).toMatchObject({ status: 'success' })
      expect(proxy.asked.map(({ target }) => target)).toEqual([
        `127.0.0.9:${receiver.port}`,
        `127.0.0.1:${receiver.port}`,
      ])
    })

    it.each([
      ['http://inside.test', 'blocked_address'],
      ['http://169.254.169.254', 'blocked_address'],
      ['https://[fd00::1]', 'blocked_address'],
      ['http://unknown.test', 'dns_error'],
    ])('for nothing when the guard refuses or finds no address: %s', async (url, code) => {
      expect(await send(url)).toMatchObject({ status: 'failed', code })
      expect(proxy.connections).toBe(0)
    })

    it('with the user and password of its URL', async () => {
      const strict = await startForwardProxy({ credentials: 'us@er:p:w' })
      const url = `http://receiver.test:${receiver.port}`

      expect(
        await send(url, { proxyUrl: `http://us%40er:p%3Aw@127.0.0.1:${strict.port}` }),
      ).toMatchObject({ status: 'success' })
      expect(receiver.requests[0]?.headers).not.toHaveProperty('proxy-authorization')
      await expect(
        send(url, { proxyUrl: `http://user:wrong@127.0.0.1:${strict.port}` }),
      ).rejects.toThrow(/^the forward proxy 127\.0\.0\.1:\d+ answered CONNECT with 407$/)
      await strict.stop()
    })

    it('a proxy that speaks TLS, and trusts it by the extra certificates', async () => {
      const secureProxy = await startForwardProxy({ tls: UNTRUSTED_TLS })
      const secure = await startReceiver({ tls: UNTRUSTED_TLS })
      const proxyUrl = `https://localhost:${secureProxy.port}`

      expect(await send(`http://receiver.test:${receiver.port}`, { proxyUrl })).toMatchObject({
        status: 'success',
      })
      expect(await send(`https://receiver.test:${secure.port}`, { proxyUrl })).toMatchObject({
        status: 'success',
      })
      expect(secureProxy.asked).toHaveLength(2)
      await secureProxy.stop()
      await secure.stop()
    })
  })

  describe('keeps', () => {
    it.each(['http', 'https'] as const)('tunnels for the next requests: %s', async (scheme) => {
      const target = await startReceiver(scheme === 'https' ? { tls: UNTRUSTED_TLS } : {})
      const kept = sender()
      const request = sendRequest(webhookDestination(`${scheme}://receiver.test:${target.port}`))
      for (let i = 0; i < 10; i++) {
        expect(await kept.send(request)).toMatchObject({ status: 'success' })
      }

      // A connection is free again one turn of the event loop after its answer: two take turns.
      expect(proxy.asked.length).toBeLessThanOrEqual(2)
      await target.stop()
    })

    it('no tunnel that is idle', async () => {
      await send(`http://receiver.test:${receiver.port}`)
      expect(proxy.open).toBe(1)

      await waitFor(() => proxy.open === 0, { what: 'the end of the tunnels' })
    })

    it('no tunnel after it was stopped', async () => {
      await send(`http://receiver.test:${receiver.port}`)
      expect(proxy.open).toBe(1)
      await senders[0]?.stop()

      await waitFor(() => proxy.open === 0, { what: 'the end of the tunnels' })
    })

    it('no tunnel that the proxy has cut', async () => {
      const kept = sender()
      const request = sendRequest(webhookDestination(`http://receiver.test:${receiver.port}`))
      await kept.send(request)
      proxy.cutAll()
      await waitFor(() => proxy.open === 0, { what: 'the end of the tunnels' })

      expect(await kept.send(request)).toMatchObject({ status: 'success' })
      expect(proxy.asked).toHaveLength(2)
    })
  })

  describe('fails by fault of the target', () => {
    it.each([
      [502, 'network_unreachable'],
      [503, 'network_unreachable'],
      [504, 'timeout'],
    ] as const)('when the proxy answers CONNECT with %i: %s', async (fault, code) => {
      proxy.fail(fault)

      expect(await send(`http://127.0.0.1:${receiver.port}`)).toMatchObject({
        status: 'failed',
        code,
        response: null,
      })
    })

    it.each(['hang', 'deaf'] as const)(
      'when there is no answer by the deadline: %s',
      async (fault) => {
        proxy.fail(fault)
        for (const scheme of ['http', 'https']) {
          const url = `${scheme}://127.0.0.1:${receiver.port}`
          const startMs = performance.now()

          expect(await send(url, { timeoutMs: TIMEOUT_MS })).toMatchObject({ code: 'timeout' })
          expect(performance.now() - startMs).toBeLessThan(TIMEOUT_MS + 1000)
        }
      },
    )

    it('when nobody listens there', async () => {
      await receiver.stop()

      expect(await send(receiver.url)).toMatchObject({ code: 'network_unreachable' })
    })

    it('when the tunnel breaks before there is an answer', async () => {
      const hold = createHold()
      receiver.answer({ after: hold.released })
      const result = send(`http://127.0.0.1:${receiver.port}`)
      await receiver.waitFor(1)
      proxy.cutAll()

      expect(await result).toMatchObject({ code: 'connection_reset' })
      hold.release()
    })
  })

  describe('throws, since the fault is ours,', () => {
    it.each([400, 401, 403, 404, 405, 407, 429, 500, 501, 302] as const)(
      'when the proxy answers CONNECT with %i',
      async (fault) => {
        proxy.fail(fault)

        await expect(send(`http://127.0.0.1:${receiver.port}`)).rejects.toThrow(String(fault))
        expect(receiver.connections).toBe(0)
      },
    )

    it.each(['cut', 'garbage'] as const)('when the proxy breaks off: %s', async (fault) => {
      proxy.fail(fault)

      await expect(send(`https://127.0.0.1:${receiver.port}`)).rejects.toThrow('broke off')
    })

    it('when nobody listens there, and does not say the password', async () => {
      await proxy.stop()
      const proxyUrl = `http://user:hunter2@127.0.0.1:${proxy.port}`
      const failing = send(receiver.url, { proxyUrl })

      await expect(failing).rejects.toThrow('ECONNREFUSED')
      await expect(failing).rejects.not.toThrow('hunter2')
    })

    it('when its name is unknown', async () => {
      await expect(send(receiver.url, { proxyUrl: 'http://no..host:3128' })).rejects.toThrow(
        'the forward proxy no..host:3128 cannot be reached',
      )
    })

    it('when connecting to it takes for ever, before the deadline', async () => {
      const backlog = await startFullBacklog()
      const proxyUrl = `http://127.0.0.1:${backlog.port}`

      await expect(send(receiver.url, { proxyUrl, timeoutMs: TIMEOUT_MS })).rejects.toThrow(
        `no connection in ${TIMEOUT_MS * 0.4} ms`,
      )
      await backlog.stop()
    })

    it('when its certificate is not trusted', async () => {
      const secureProxy = await startForwardProxy({ tls: UNTRUSTED_TLS })

      await expect(
        send(receiver.url, {
          proxyUrl: `https://localhost:${secureProxy.port}`,
          settings: { extraCaFile: null },
        }),
      ).rejects.toThrow('self-signed')
      await secureProxy.stop()
    })

    it('when it does not speak TLS', async () => {
      await expect(
        send(receiver.url, { proxyUrl: `https://127.0.0.1:${proxy.port}` }),
      ).rejects.toThrow('cannot be reached')
    })
  })
})

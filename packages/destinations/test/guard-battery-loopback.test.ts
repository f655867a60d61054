import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { type Receiver, startReceiver } from '@postrider/testkit'
import type { SendResult } from '../src/destination-type.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { sendRequest, webhookDestination, webhookSender } from './factories.ts'
import { type GuardCase, LOOPBACK_SPELLINGS } from './guard-cases.ts'
import { listening } from './raw-server.ts'

const NAMES: readonly GuardCase[] = [
  { host: 'localhost', why: 'by name' },
  { host: 'LOCALHOST.', why: 'by name, upper case and a final dot' },
  { host: 'any.localhost', why: 'what ends in localhost' },
  { host: 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', why: 'by name in circled letters' },
  { host: 'a.test', why: 'an A record' },
  { host: 'aaaa.test', why: 'an AAAA record' },
  { host: 'both.test', why: 'records of both families' },
  { host: 'any.test', why: 'an A record with 0.0.0.0' },
  { host: 'mapped.test', why: 'an AAAA record with a mapped address' },
  { host: 'alias.test', why: 'a CNAME' },
  { host: 'truncated.test', why: 'an answer over TCP' },
  { host: 'many.test', why: 'a hundred addresses' },
  { host: 'fleeting.test', why: 'an answer that may not be kept' },
]

describe('a listener on this machine, tried for real', () => {
  let dns: DnsServer
  let server: Server
  let port: number
  /** The addresses at which connections arrived, in order. */
  let reached: string[]

  beforeAll(async () => {
    dns = await startDnsServer({
      'a.test': { a: ['127.0.0.1'] },
      'aaaa.test': { aaaa: ['::1'] },
      'both.test': { a: ['127.0.0.1'], aaaa: ['::1'] },
      'any.test': { a: ['0.0.0.0'] },
      'mapped.test': { aaaa: ['::ffff:127.0.0.1'] },
      'alias.test': { cname: 'localhost', a: ['127.0.0.1'] },
      'truncated.test': { isTruncated: true, a: ['127.0.0.1'] },
      'many.test': { a: Array.from({ length: 100 }, (_, i) => `127.0.1.${i}`) },
      'fleeting.test': { a: ['127.0.0.1'], ttl: 0 },
      'rebinding.test': [
        { a: ['127.0.0.2'], ttl: 0 },
        { a: ['127.0.0.1'], ttl: 0 },
      ],
      'flapping.test': Array.from({ length: 20 }, (_, i) => ({
        a: [i % 2 === 0 ? '127.0.0.2' : '127.0.0.1'],
        ttl: 0,
      })),
    })
    server = createServer((_, response) => response.writeHead(204, { connection: 'close' }).end())
    server.on('connection', (socket: Socket) => reached.push(socket.localAddress ?? ''))
    // All addresses of the machine, of both families.
    port = await listening(server, '::')
  })

  beforeEach(() => {
    reached = []
  })

  afterAll(async () => {
    server.close()
    await dns.stop()
  })

  function openSender(allowedNetworks: readonly string[]) {
    const resolver = { servers: [dns.address], hostsPath: 'none', resolvConfPath: 'none' }
    const sender = webhookSender({ guard: { allowedNetworks, resolver } })
    return {
      send: (host: string): Promise<SendResult> =>
        sender.send(sendRequest(webhookDestination(`http://${host}:${port}/`))),
      stop: () => sender.stop(),
    }
  }

  async function sendOnce(host: string, allowedNetworks: readonly string[]): Promise<SendResult> {
    const { send, stop } = openSender(allowedNetworks)
    const result = await send(host)
    await stop()
    return result
  }

  it.each([...LOOPBACK_SPELLINGS, ...NAMES])('is not reached by $host ($why)', async ({ host }) => {
    expect((await sendOnce(host, [])).code).toBe('blocked_address')
    expect(reached).toEqual([])
  })

  it.each([...LOOPBACK_SPELLINGS, ...NAMES])(
    'would be reached by $host ($why) but for the guard',
    async ({ host }) => {
      expect((await sendOnce(host, ['0.0.0.0/0', '::/0'])).code).toBe('204')
      expect(reached).toHaveLength(1)
    },
  )

  it('is not reached by a name that moves there from an allowed address', async () => {
    const { send, stop } = openSender(['127.0.0.2/32'])
    const codes = [(await send('rebinding.test')).code, (await send('rebinding.test')).code]
    await stop()

    expect(codes).toEqual(['204', 'blocked_address'])
    expect(reached).toEqual(['::ffff:127.0.0.2'])
  })

  it('is not reached by a name that moves to and fro: no lookup comes between judgement and connect', async () => {
    const { send, stop } = openSender(['127.0.0.2/32'])
    const asked = dns.asked.length
    const codes: string[] = []
    for (let i = 0; i < 10; i++) codes.push((await send('flapping.test')).code)
    await stop()

    expect(codes).toEqual(
      Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? '204' : 'blocked_address')),
    )
    expect(new Set(reached)).toEqual(new Set(['::ffff:127.0.0.2']))
    expect(dns.asked).toHaveLength(asked + 10)
  })

  describe('behind a redirect of an allowed receiver', () => {
    let receiver: Receiver

    beforeAll(async () => {
      receiver = await startReceiver()
    })

    afterAll(async () => {
      await receiver.stop()
    })

    it.each([300, 301, 302, 303, 304, 305, 307, 308])('is not reached by %d', async (status) => {
      const location = `http://127.0.0.1:${port}/`
      receiver.answer({ status, headers: { location, refresh: `0; url=${location}` } })
      const sender = webhookSender()
      const result = await sender.send(sendRequest(webhookDestination(receiver.url)))
      await sender.stop()

      expect(result).toMatchObject({ status: 'failed', code: String(status) })
      expect(reached).toEqual([])
    })
  })
})

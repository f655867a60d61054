import { createSecureContext, createServer } from 'node:tls'
import { type Receiver, startReceiver } from '@postrider/testkit'
import type { AddressGuardOptions } from '../src/guard/address-guard.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { sendRequest, webhookDestination, webhookSender } from './factories.ts'
import { listening } from './raw-server.ts'
import { UNTRUSTED_TLS } from './tls.ts'

describe('webhook behind the address guard', () => {
  let receiver: Receiver
  let dns: DnsServer

  beforeEach(async () => {
    receiver = await startReceiver()
    dns = await startDnsServer({
      'inside.test': { a: ['127.0.0.1'] },
      'two.test': { a: ['169.254.169.254', '127.0.0.1'] },
      'turncoat.test': { a: ['127.0.0.1'], ttl: 0 },
    })
  })

  afterEach(async () => {
    await dns.stop()
    await receiver.stop()
  })

  async function send(url: string, allowedNetworks: AddressGuardOptions['allowedNetworks']) {
    const resolver = { servers: [dns.address] }
    const sender = webhookSender({ guard: { allowedNetworks, resolver } })
    const result = await sender.send(sendRequest(webhookDestination(url)))
    await sender.stop()
    return result
  }

  it.each(['127.0.0.1', 'localhost', '[::1]', 'inside.test', 'turncoat.test', '2130706433'])(
    'is blocked_address for %s, and nothing is dialled',
    async (host) => {
      const result = await send(`http://${host}:${receiver.port}`, [])

      expect(result).toMatchObject({ status: 'failed', code: 'blocked_address', response: null })
      expect(receiver.connections).toBe(0)
    },
  )

  it('is blocked over TLS just so', async () => {
    const result = await send(`https://inside.test:${receiver.port}`, [])

    expect(result).toMatchObject({ code: 'blocked_address' })
    expect(receiver.connections).toBe(0)
  })

  it('goes to an address that is allowed, under the name that was asked for', async () => {
    const result = await send(`http://inside.test:${receiver.port}`, ['127.0.0.1/32'])

    expect(result).toMatchObject({ status: 'success' })
    expect(receiver.requests[0]?.headers.host).toBe(`inside.test:${receiver.port}`)
  })

  it('is blocked for an answer of which one address is refused, though another is allowed', async () => {
    const result = await send(`http://two.test:${receiver.port}`, ['127.0.0.1/32'])

    expect(result).toMatchObject({ code: 'blocked_address' })
    expect(receiver.connections).toBe(0)
  })

  it('goes to the allowed one of the addresses of localhost', async () => {
    const result = await send(`http://localhost:${receiver.port}`, ['127.0.0.1/32'])

    expect(result).toMatchObject({ status: 'success' })
  })

  it('is dns_error for a name that does not exist', async () => {
    expect(await send('http://unknown.test', [])).toMatchObject({ code: 'dns_error' })
  })

  it('asks for the name, not the address, in TLS', async () => {
    const names: string[] = []
    const server = createServer({
      ...UNTRUSTED_TLS,
      SNICallback: (name, callback) => {
        names.push(name)
        callback(null, createSecureContext(UNTRUSTED_TLS))
      },
    })
    const port = await listening(server)

    const result = await send(`https://inside.test:${port}`, ['127.0.0.1/32'])

    expect(result).toMatchObject({ code: 'tls_error' })
    expect(names).toEqual(['inside.test'])
    server.close()
  })
})

import { readFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { freePort, waitFor } from '@postrider/testkit'
import { validateSettings } from '@postrider/destinations'
import type { Sender } from '../../src/destination-type.ts'
import { AddressGuard } from '../../src/guard/address-guard.ts'
import { DATA, sendRequest, webhookDestination } from '../factories.ts'
import { createNatsSubjectType } from './nats-subject-type.ts'

const type = createNatsSubjectType(new AddressGuard({ allowedNetworks: ['127.0.0.0/8'] }))

/** A server that takes what it is sent, as NATS does, and answers as it is told. */
class NatsServer {
  received = ''
  answer: string | null = '+OK'
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#sockets.add(socket.on('error', () => undefined))
      socket.write('INFO {"headers":true}\r\nPING\r\n')
      socket.on('data', (bytes) => this.#onData(socket, bytes.toString()))
    })
  }

  static async start(port: number): Promise<NatsServer> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return new NatsServer(server)
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async stop(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #onData(socket: Socket, text: string): void {
    this.received += text
    if (text.includes('CONNECT ')) socket.write('+OK\r\n')
    if (text.includes('HPUB ') && this.answer !== null) socket.write(`${this.answer}\r\n`)
  }
}

describe('the type that docs/adding-a-destination-type.md makes', () => {
  let port: number
  let server: NatsServer
  let sender: Sender

  beforeEach(async () => {
    port = await freePort()
    server = await NatsServer.start(port)
    sender = type.createSender()
  })

  afterEach(async () => {
    await sender.stop()
    await server.stop()
  })

  let version = 0

  const send = async (at = `127.0.0.1:${port}`, timeoutMs = 5000) => {
    version += at === `127.0.0.1:${port}` ? 0 : 1
    const destination = webhookDestination('', {
      version,
      config: { server: at, subject: 'shop.orders' },
      credentials: { token: 'secret' },
    })
    return await sender.send(sendRequest(destination, { metadata: { city: 'Köln' }, timeoutMs }))
  }

  it('is the one that the page shows, word for word', () => {
    const page = readFileSync(
      new URL('../../../../docs/adding-a-destination-type.md', import.meta.url),
      'utf8',
    )
    const shown = [...page.matchAll(/^```ts\n\/\/ (\S+)\n([^]*?)^```$/gm)]
    expect(shown).toHaveLength(4)
    for (const [, name = '', code] of shown) {
      const file = readFileSync(new URL(name, import.meta.url), 'utf8')
      expect(`${name}\n${code}`).toBe(`${name}\n${file.replaceAll('../../src/', '../')}`)
    }
  })

  it('takes its own example, and says what is wrong with other settings', () => {
    expect(validateSettings(type, type.example)).toEqual([])
    expect(validateSettings(type, { ...type.example, config: { subject: 'a.>' } })).toEqual([
      'config.server is required',
      String.raw`config.subject must match ^[\w\-]+(?:\.[\w\-]+)*$`,
    ])
    const config = { server: '10.0.0.1', subject: 'a' }
    expect(validateSettings(type, { ...type.example, config })).toEqual([
      expect.stringMatching(/^config\.server /),
    ])
  })

  it('publishes the bytes of the data with the metadata in headers', async () => {
    expect(await send()).toMatchObject({ status: 'success', code: 'ok' })
    expect(server.received).toContain('"auth_token":"secret"')
    expect(server.received).toContain('HPUB shop.orders ')
    expect(server.received).toContain('city: K%C3%B6ln\r\n')
    expect(server.received).toContain('event-id: evt_1\r\n')
    expect(server.received).toContain(`\r\n\r\n${DATA.toString()}\r\n`)
  })

  it.each([
    ["-ERR 'Authorization Violation'", 'auth_failed'],
    ["-ERR 'Permissions Violation for Publish'", 'access_denied'],
    ["-ERR 'Unknown Protocol Operation'", 'protocol_error'],
  ])('tells what %s means', async (answer, code) => {
    server.answer = answer
    expect(await send()).toMatchObject({ status: 'failed', code })
  })

  it('gives up a server that is silent, and goes on when it speaks again', async () => {
    server.answer = null
    expect(await send(undefined, 100)).toMatchObject({ code: 'timeout' })
    server.answer = '+OK'
    expect(await send()).toMatchObject({ status: 'success' })
  })

  it('tells of a connection that is lost before the answer', async () => {
    server.answer = null
    const sending = send()
    await waitFor(() => server.received.includes('HPUB'), { what: 'the message' })
    server.cut()
    expect(await sending).toMatchObject({ code: 'connection_reset' })
  })

  it('tells of a server that cannot be reached, or must not be', async () => {
    expect(await send(`127.0.0.1:${await freePort()}`)).toMatchObject({
      code: 'connection_refused',
    })
    expect(await send('10.0.0.1')).toMatchObject({ code: 'blocked_address' })
  })
})

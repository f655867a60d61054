import { connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { startFaultProxy, type FaultProxy } from '@postrider/testkit'

/** A server that sends back what it gets, in capitals. */
async function startShouter() {
  const received: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => {
      received.push(bytes.toString())
      socket.write(bytes.toString().toUpperCase())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    received,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function dial(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port })
  // Most of these tests break the connection on purpose; those that care listen for themselves.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

async function say(socket: Socket, text: string): Promise<string> {
  socket.write(text)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return answer.toString()
}

async function closing(socket: Socket): Promise<string> {
  socket.resume()
  const failure = once(socket, 'error').then(([error]) => (error as NodeJS.ErrnoException).code)
  const end = once(socket, 'end').then(() => 'end')
  return (await Promise.race([failure, end])) ?? 'unknown'
}

describe('fault proxy', () => {
  let shouter: Awaited<ReturnType<typeof startShouter>>
  let proxy: FaultProxy
  let socket: Socket

  beforeEach(async () => {
    shouter = await startShouter()
    proxy = await startFaultProxy({ port: shouter.port })
    socket = await dial(proxy.port)
  })

  afterEach(async () => {
    socket.destroy()
    await proxy.stop()
    await shouter.stop()
  })

  it('passes both directions on while nothing is wrong', async () => {
    expect(await say(socket, 'hello')).toBe('HELLO')
    expect(proxy.accepted).toBe(1)
    expect(proxy.open).toBe(1)
  })

  it('resets every connection', async () => {
    await say(socket, 'hello')

    const ending = closing(socket)
    proxy.cutAll()

    expect(await ending).toBe('ECONNRESET')
    expect(proxy.open).toBe(0)
  })

  it('ends every connection in order', async () => {
    await say(socket, 'hello')

    const ending = closing(socket)
    proxy.cutAll('end')

    expect(await ending).toBe('end')
  })

  it('refuses connections while down and takes them again on the same port', async () => {
    await proxy.down()
    const refused = connect({ host: '127.0.0.1', port: proxy.port })
    const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException]

    await proxy.up()
    const again = await dial(proxy.port)

    expect(error.code).toBe('ECONNREFUSED')
    expect(await say(again, 'back')).toBe('BACK')
    again.destroy()
  })

  it('accepts new connections into a black hole and leaves open ones alone', async () => {
    proxy.blackhole(true)
    const ignored = await dial(proxy.port)
    ignored.write('anybody there?')

    expect(await say(socket, 'hello')).toBe('HELLO')
    expect(shouter.received).toEqual(['hello'])
    ignored.destroy()
  })

  it('holds back a stalled direction and lets it go on afterwards', async () => {
    proxy.stall('down', true)
    const answer = say(socket, 'hello')
    const other = await dial(proxy.port)
    other.write('later')
    proxy.stall('down', false)

    expect(await answer).toBe('HELLO')
    other.destroy()
  })

  it('delays what passes', async () => {
    await say(socket, 'warm')
    proxy.latency(30)

    const startMs = performance.now()
    await say(socket, 'hello')

    // Timers may fire up to a millisecond early on each of the two ways.
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(58)
  })

  it('cuts when the bytes come along, which the server never sees', async () => {
    const ending = closing(socket)
    const cut = proxy.cutWhen('up', 'COMMIT')
    socket.write('COM')
    socket.write('MIT;')
    await cut

    expect(await ending).toBe('ECONNRESET')
    expect(shouter.received.join('')).not.toContain('COMMIT')
  })

  it('lets the bytes through before the cut when asked to, so that only the answer is lost', async () => {
    const cut = proxy.cutWhen('up', 'COMMIT', { forward: true, times: 2 })
    const first = await say(socket, 'COMMIT;')

    const ending = closing(socket)
    socket.write('COMMIT!')
    await cut

    expect(first).toBe('COMMIT;')
    expect(await ending).toBe('ECONNRESET')
    expect(shouter.received).toEqual(['COMMIT;', 'COMMIT!'])
  })
})

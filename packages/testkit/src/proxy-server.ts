import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** A CONNECT as it arrived. */
export interface ConnectRequest {
  /** Host and port that were asked for. */
  readonly target: string
  /** Names in lower case. */
  readonly headers: IncomingMessage['headers']
}

/**
 * What goes wrong instead of a tunnel:
 * - a number: the status that CONNECT is answered with
 * - `hang`: CONNECT is never answered
 * - `cut`: the connection is reset instead of an answer
 * - `garbage`: the answer is not HTTP
 * - `deaf`: the tunnel is there, and nothing passes through it
 */
export type ProxyFault = number | 'hang' | 'cut' | 'garbage' | 'deaf'

export interface ProxyServerOptions {
  /** `user:password`; without it CONNECT is answered with 407. Default: nobody is asked. */
  readonly credentials?: string
  /** Speaks TLS with this PEM key and certificate. Default: plain. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** A forward proxy for tests on a free port of 127.0.0.1. */
export interface ProxyServer {
  readonly port: number
  /** What it was asked for, in order of arrival. */
  readonly asked: readonly ConnectRequest[]
  /** Connections accepted since the start. */
  readonly connections: number
  /** Connections that are open now. */
  readonly open: number
  /** From now on; null: everything works. */
  fail(fault: ProxyFault | null): void
  /** Cuts every connection. */
  cutAll(): void
  /** Cuts every connection and stops listening. Idempotent. */
  stop(): Promise<void>
}

/**
 * Starts a forward proxy that makes tunnels (CONNECT) and does nothing else; a target that it cannot
 * reach is a 502. Whoever starts it stops it.
 */
export async function startForwardProxy(options: ProxyServerOptions = {}): Promise<ProxyServer> {
  const asked: ConnectRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let fault: ProxyFault | null = null

  const server: Server = options.tls === undefined ? createServer() : createTlsServer(options.tls)
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    client.on('error', () => undefined)
    asked.push({ target: request.url ?? '', headers: request.headers })
    const status = isAuthorized(request, options.credentials) ? fault : 407
    if (status === null || status === 'deaf') makeTunnel(request.url ?? '', client, status)
    else refuse(client, status)
  })
  server.listen(0, '127.0.0.1')
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).once('listening', resolve)
  })
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    // A TCP server that listens has an AddressInfo; the other forms are for pipes.
    port: (server.address() as AddressInfo).port,
    asked,
    get connections() {
      return connections
    },
    get open() {
      return sockets.size
    },
    fail: (next) => void (fault = next),
    cutAll,
    stop: async () => {
      if (!server.listening) return
      await new Promise((resolve) => {
        server.close(resolve)
        cutAll()
      })
    },
  }
}

function isAuthorized({ headers }: IncomingMessage, credentials: string | undefined): boolean {
  if (credentials === undefined) return true
  const expected = `Basic ${Buffer.from(credentials).toString('base64')}`
  return headers['proxy-authorization'] === expected
}

function refuse(client: Socket, fault: Exclude<ProxyFault, 'deaf'>): void {
  if (fault === 'hang') return
  if (fault === 'cut') client.destroy()
  else if (fault === 'garbage') client.end('this is not HTTP\r\n\r\n')
  else client.end(`HTTP/1.1 ${fault} Refused\r\ncontent-length: 7\r\n\r\nrefused`)
}

function makeTunnel(target: string, client: Socket, mode: 'deaf' | null): void {
  const established = 'HTTP/1.1 200 Connection established\r\n\r\n'
  if (mode === 'deaf') {
    client.write(established)
    client.resume()
    return
  }
  const { hostname, port } = new URL(`http://${target}`)
  const upstream = connect(Number(port === '' ? 80 : port), hostname.replaceAll(/[[\]]/g, ''))
  const cut = (): void => void client.destroy()
  const fail = (): void => refuse(client, 502)
  upstream.once('error', fail)
  client.on('close', () => upstream.destroy())
  upstream.once('connect', () => {
    upstream.off('error', fail).on('error', cut).on('close', cut)
    client.write(established)
    upstream.pipe(client)
    client.pipe(upstream)
  })
}

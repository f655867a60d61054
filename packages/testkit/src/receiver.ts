import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type Answer, giveAnswer } from './receiver-answer.ts'

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: IncomingMessage['headers']
  /** Names and values in turn, exactly as sent. */
  readonly rawHeaders: readonly string[]
  /** The exact bytes. */
  readonly body: Buffer
  /** The client's end of the connection that it came on. */
  readonly clientPort: number
  /** Unix milliseconds at which the last byte of the request was there. */
  readonly arrivedAtMs: number
  /** The value of the receiver's id header; null without one. */
  readonly eventId: string | null
}

export interface ReceiverOptions {
  /** The header that names the event. Default `x-service-id`. */
  readonly idHeader?: string
  /** Speaks TLS with this PEM key and certificate. Default: plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string }
  /** What a request gets that nothing was scripted for. Default: 200 without a body. */
  readonly answer?: Answer | ((request: ReceivedRequest) => Answer)
}

/** An HTTP server for tests on a free port of 127.0.0.1: records what arrives, answers as told. */
export interface Receiver {
  readonly url: string
  readonly port: number
  /** Everything that arrived in full, in order of arrival; recorded before it is answered. */
  readonly requests: readonly ReceivedRequest[]
  /** Connections accepted since the start, with or without a request. */
  readonly connections: number
  /** Connections that are open now. */
  readonly openConnections: number
  /** The names that clients asked for in TLS (SNI), one for each handshake that had one. */
  readonly serverNames: readonly string[]
  /** The next requests get these answers, one each, unless their event has a script of its own. */
  answer(...answers: readonly Answer[]): void
  /** The next requests of this event get these answers, one each. */
  answerEvent(eventId: string, ...answers: readonly Answer[]): void
  /**
   * Resolves as soon as this many requests arrived since the start.
   *
   * @param deadlineMs - default 10 000
   * @throws {Error} When they did not arrive by then
   */
  waitFor(count: number, deadlineMs?: number): Promise<readonly ReceivedRequest[]>
  /** Cuts every connection and stops listening. Idempotent. */
  stop(): Promise<void>
}

/** Starts a receiver; whoever starts it stops it. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const idHeader = options.idHeader ?? 'x-service-id'
  const requests: ReceivedRequest[] = []
  const script: Answer[] = []
  const { answer: fallback = {} } = options
  const answerTo = typeof fallback === 'function' ? fallback : () => fallback
  const scriptsByEvent = new Map<string, Answer[]>()
  const waiters = new Set<() => void>()
  const serverNames: string[] = []
  let connections = 0
  let openConnections = 0

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    // A client that gives up midway is a case under test, not a fault of the receiver.
    request.on('error', () => undefined)
    request.on('end', () => {
      const received = toReceived(request, Buffer.concat(chunks), idHeader)
      requests.push(received)
      for (const check of waiters) check()
      const ofEvent = scriptsByEvent.get(received.eventId ?? '')
      giveAnswer(response, ofEvent?.shift() ?? script.shift() ?? answerTo(received))
    })
  }
  const server =
    options.tls === undefined ? createServer(onRequest) : createTlsServer(options.tls, onRequest)
  server.on('connection', (socket: Socket) => {
    connections++
    openConnections++
    socket.once('close', () => openConnections--)
  })
  server.on(
    'secureConnection',
    ({ servername }: TLSSocket & { readonly servername?: string | false }) => {
      if (typeof servername === 'string') serverNames.push(servername)
    },
  )
  const port = await listen(server)

  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return connections
    },
    get openConnections() {
      return openConnections
    },
    serverNames,
    answer: (...answers) => void script.push(...answers),
    answerEvent(eventId, ...answers) {
      scriptsByEvent.set(eventId, [...(scriptsByEvent.get(eventId) ?? []), ...answers])
    },
    waitFor: (count, deadlineMs = 10_000) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (requests.length < count) return
          finish()
          resolve(requests)
        }
        const timer = setTimeout(() => {
          finish()
          reject(new Error(`${requests.length} of ${count} requests arrived in ${deadlineMs} ms`))
        }, deadlineMs)
        const finish = (): void => {
          clearTimeout(timer)
          waiters.delete(check)
        }
        waiters.add(check)
        check()
      }),
    stop: () => stop(server),
  }
}

function toReceived(request: IncomingMessage, body: Buffer, idHeader: string): ReceivedRequest {
  const eventId = request.headers[idHeader]
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    body,
    clientPort: request.socket.remotePort ?? 0,
    arrivedAtMs: Date.now(),
    eventId: typeof eventId === 'string' ? eventId : null,
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  // A TCP server that listens has an AddressInfo; the other forms are for pipes.
  return (server.address() as AddressInfo).port
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return
  await new Promise((resolve) => {
    server.close(resolve)
    server.closeAllConnections()
  })
}

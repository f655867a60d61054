import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that arrived in full. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: IncomingMessage['headers']
  /** The exact bytes. */
  readonly body: Buffer
  readonly arrivedAt: Date
}

export interface ListenOptions {
  /** 0: any free one. */
  readonly port: number
  /** Called for each request; answers with the status for it. Must not throw or reject. */
  readonly onRequest: (request: ReceivedRequest) => number | Promise<number>
}

export interface Listener {
  readonly url: string
  /** Cuts every connection and stops listening. Idempotent. */
  stop(): Promise<void>
}

const HOST = '127.0.0.1'
/** Twice the largest `data` that Postrider can be set to take. */
const MAX_BODY_BYTES = 32 * 1024 * 1024

/**
 * Listens for webhooks on loopback. Whoever listens stops it.
 *
 * @throws When the port cannot be had (EADDRINUSE, EACCES)
 */
export async function listen({ port, onRequest }: ListenOptions): Promise<Listener> {
  const server = createServer((request, response) => receive(request, response, onRequest))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, HOST, resolve)
  })
  // A TCP server that listens has an AddressInfo; the other forms are for pipes.
  const address = server.address() as AddressInfo
  return { url: `http://${HOST}:${address.port}`, stop: () => stop(server) }
}

function receive(
  request: IncomingMessage,
  response: ServerResponse,
  onRequest: ListenOptions['onRequest'],
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk)
  })
  // A sender that gives up within its request gets no answer, and wants none.
  request.on('error', () => undefined)
  request.on('end', () => {
    const { method = '', url: path = '', headers } = request
    const body = Buffer.concat(chunks)
    const answer = async (): Promise<void> => {
      response.statusCode =
        bytes <= MAX_BODY_BYTES
          ? await onRequest({ method, path, headers, body, arrivedAt: new Date() })
          : 413
      response.end()
    }
    void answer() // Never rejects.
  })
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return
  await new Promise((resolve) => {
    server.close(resolve)
    server.closeAllConnections()
  })
}

import { once } from 'node:events'
import {
  type Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'

/** A call as it came. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** An answer as it goes out. */
export interface CallAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Null: the client went away before it had sent all of it. */
export async function receive(incoming: IncomingMessage): Promise<Call | null> {
  const { method = '', url: path = '', headers } = incoming
  try {
    return { method, path, headers, body: await bytesOf(incoming) }
  } catch {
    return null
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Makes a call at the server itself. */
export async function forward(target: string, call: Call, agent?: Agent): Promise<CallAnswer> {
  const { hostname, port } = new URL(target)
  const { method, path, body } = call
  // The host stays, so that signatures stay good.
  const headers = { ...call.headers, 'content-length': String(body.length) }
  const onward = request({ hostname, port, method, path, headers, ...(agent && { agent }) })
  onward.end(body)
  const [answer] = (await once(onward, 'response')) as [IncomingMessage]
  return {
    status: answer.statusCode ?? 502,
    headers: answer.headers,
    body: await bytesOf(answer),
  }
}

/** Answers with it. */
export function give(to: ServerResponse, { status, headers, body }: CallAnswer): void {
  const { 'transfer-encoding': _, connection: __, ...kept } = headers
  to.writeHead(status, { ...kept, 'content-length': String(body.length) })
  to.end(body)
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a call gets instead of what the server would answer. */
export interface AwsFault {
  /** The operation, such as `SendMessageBatch`, or the method (S3). Default: whatever comes next. */
  readonly operation?: string
  /** An error by its name, in the form of the protocol that the call speaks. */
  readonly error?: string
  /** Of the error. Default: `injected`. */
  readonly message?: string
  /** Default: 400 for an error, 200 for a body. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The whole answer: a text, or what is sent as JSON. */
  readonly body?: unknown
  /** `silence`: never answers; `reset`: cuts the connection. */
  readonly act?: 'silence' | 'reset'
}

/** A call as it arrived. */
export interface AwsCall {
  readonly operation: string
  readonly headers: IncomingMessage['headers']
  /** The id of the access key that it was signed with. */
  readonly accessKeyId: string
  readonly body: Buffer
}

/** Stands before a server of AWS' protocols: passes calls on unless told to answer them itself. */
export interface AwsFaults {
  readonly url: string
  readonly port: number
  /** Everything that arrived in full, in order. */
  readonly calls: readonly AwsCall[]
  /** Connections accepted since the start. */
  readonly connections: number
  /** Connections that are open now. */
  readonly open: number
  /** The next calls fail so, one each. */
  next(...faults: readonly AwsFault[]): void
  /** Every call that is signed with this access key fails so. */
  refuseAccessKey(id: string, fault: AwsFault): void
  /** Every call waits until the promise resolves. */
  hold(until: Promise<unknown>): void
  /** Cuts every connection and stops listening. Idempotent. */
  stop(): Promise<void>
}

/** @param target - the base URL of the server */
export async function startAwsFaults(target: string): Promise<AwsFaults> {
  const { hostname, port: targetPort } = new URL(target)
  const faults: AwsFault[] = []
  const refusals = new Map<string, AwsFault>()
  const calls: AwsCall[] = []
  let held: Promise<unknown> = Promise.resolve()
  let connections = 0
  let open = 0

  const onCall = async (incoming: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const body = await bodyOf(incoming)
    if (body === null) return
    const call = callOf(incoming, body)
    calls.push(call)
    const i = faults.findIndex(({ operation = call.operation }) => operation === call.operation)
    const [fault = refusals.get(call.accessKeyId)] = i === -1 ? [] : faults.splice(i, 1)
    await held
    if (fault !== undefined) {
      giveFault(fault, incoming, answer)
      return
    }
    // The Host header stays, so that signatures stay good.
    const { method, url: path, headers } = incoming
    const onward = request(
      { host: hostname, port: targetPort, method, path, headers },
      (result) => {
        answer.writeHead(result.statusCode ?? 502, result.headers)
        result.pipe(answer)
      },
    )
    onward.on('error', () => answer.destroy())
    onward.end(body)
  }

  const server = createServer((incoming, answer) => void onCall(incoming, answer))
  server.on('connection', (socket) => {
    connections += 1
    open += 1
    socket.once('close', () => (open -= 1))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    calls,
    get connections() {
      return connections
    },
    get open() {
      return open
    },
    next: (...more) => void faults.push(...more),
    refuseAccessKey: (id, fault) => void refusals.set(id, fault),
    hold(until) {
      held = until
    },
    async stop() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Null: the client went away before it had sent all of it. */
async function bodyOf(incoming: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
    return Buffer.concat(chunks)
  } catch {
    return null
  }
}

function callOf({ method = '', headers }: IncomingMessage, body: Buffer): AwsCall {
  const target = headers['x-amz-target']
  const operation = typeof target === 'string' ? (target.split('.').at(-1) ?? '') : method
  const [, accessKeyId = ''] = /Credential=([^/]+)/.exec(headers.authorization ?? '') ?? []
  return { operation, headers, accessKeyId, body }
}

function giveFault(fault: AwsFault, incoming: IncomingMessage, answer: ServerResponse): void {
  const { act, body, error = '', message = 'injected', headers } = fault
  if (act === 'silence') return
  if (act === 'reset') {
    incoming.socket.resetAndDestroy()
    return
  }
  if (body !== undefined) {
    const type = incoming.headers['content-type'] ?? 'application/json'
    answer.writeHead(fault.status ?? 200, { 'content-type': type, ...headers })
    answer.end(typeof body === 'string' ? body : JSON.stringify(body))
    return
  }
  const isXml = incoming.headers['x-amz-target'] === undefined
  answer.writeHead(fault.status ?? 400, {
    'content-type': isXml ? 'application/xml' : 'application/x-amz-json-1.0',
    'x-amzn-requestid': 'injected-request',
    'x-amz-request-id': 'injected-request',
    ...headers,
  })
  answer.end(
    isXml
      ? `<?xml version="1.0"?><Error><Code>${error}</Code><Message>${message}</Message></Error>`
      : JSON.stringify({ __type: error, message }),
  )
}

import { Agent, request } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Answer } from '../contract/contract.ts'
import type { FuzzCaller, FuzzRequest } from './fuzz-request.ts'

/** What a request may take; no answer of the api should take a tenth of it. */
const DEADLINE_MS = 10_000

/** Sends requests as they are, over connections that are kept. */
export class FuzzClient implements Disposable {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #port: number
  readonly #tokens: Readonly<Record<FuzzCaller, string | null>>

  constructor(port: number, tokens: Readonly<Record<FuzzCaller, string | null>>) {
    this.#port = port
    this.#tokens = tokens
  }

  /** @throws {Error} When there is no answer in time */
  send({ method, path, headers, body, caller }: FuzzRequest): Promise<Answer> {
    const token = this.#tokens[caller]
    const sent = headers['content-encoding'] === 'gzip' && body !== null ? gzipSync(body) : body
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          agent: this.#agent,
          host: '127.0.0.1',
          port: this.#port,
          method,
          path: `/api/v1${path}`,
          headers: {
            ...(sent === null
              ? {}
              : { 'content-type': 'application/json', 'content-length': sent.length }),
            ...(token === null ? {} : { authorization: `Bearer ${token}` }),
            ...headers,
          },
          signal: AbortSignal.timeout(DEADLINE_MS),
        },
        (answer) => {
          const chunks: Buffer[] = []
          answer
            .on('data', (chunk: Buffer) => chunks.push(chunk))
            .on('error', reject)
            .on('end', () => {
              const { statusCode: status = 0, headers: given } = answer
              resolve({ status, headers: given, body: parsed(Buffer.concat(chunks).toString()) })
            })
        },
      )
      asked.on('error', reject)
      asked.end(sent ?? undefined)
    })
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}

/** What is not JSON stays text, which fits no document. */
function parsed(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return text
  }
}

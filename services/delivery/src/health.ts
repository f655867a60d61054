import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { METRICS_CONTENT_TYPE } from '@postrider/telemetry'

/** What a deliverer says of itself. */
export interface Readiness {
  readonly status: 'ready' | 'unready'
  readonly checks: Readonly<Record<string, unknown>>
}

export interface HealthOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  readonly readiness: () => Promise<Readiness>
  /** Metrics in Prometheus' text format. */
  readonly metrics: () => string
}

/** The little server of a deliverer: /healthz (alive), /readyz (can deliver) and /metrics. */
export class HealthServer {
  readonly #options: HealthOptions
  readonly #server: Server

  constructor(options: HealthOptions) {
    this.#options = options
    this.#server = createServer((request, response) => {
      const answer = (status: number, body: unknown): void => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(body))
      }
      if (request.method !== 'GET') return answer(405, { status: 405, code: 'method_not_allowed' })
      if (request.url === '/healthz') return answer(200, { status: 'ok' })
      if (request.url === '/metrics') {
        response.writeHead(200, { 'content-type': METRICS_CONTENT_TYPE })
        response.end(options.metrics())
        return
      }
      if (request.url !== '/readyz') return answer(404, { status: 404, code: 'not_found' })
      options.readiness().then(
        (readiness) => answer(readiness.status === 'ready' ? 200 : 503, readiness),
        () => answer(503, { status: 'unready', checks: {} }),
      )
    })
  }

  /** @returns the port that it listens on */
  async start(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(this.#options.port, this.#options.host, resolve)
    })
    return (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }
}

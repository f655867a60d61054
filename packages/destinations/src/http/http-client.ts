import type { Log } from '@postrider/common'
import { Agent } from 'undici'
import type { SendResult } from '../destination-type.ts'
import { errorCode } from '../failure-code.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { guardedConnector } from '../guard/connector.ts'
import { Exchange } from './exchange.ts'

/**
 * A deliverer's window bounds what is sent at once; this bounds what connection attempts that outlive
 * their request can add to it, and is far above a tenant's share so that tenants whose receivers share
 * a host do not wait for each other.
 */
const MAX_CONNECTIONS_PER_ORIGIN = 1024

/** An idle connection is kept this long when the receiver does not say; most servers close after 5 s. */
const KEEP_ALIVE_MS = 4000
const MAX_KEEP_ALIVE_MS = 60_000

export interface HttpClientOptions {
  readonly guard: AddressGuard
  /** TCP and TLS of one connection, which may outlive the request it was made for. */
  readonly connectTimeoutMs: number
  /** Of an answer's body, what is read and kept. */
  readonly maxBodyBytes: number
  readonly log: Log
}

/** A POST, ready to be sent. */
export interface HttpPost {
  /** Whose request it is; tenants share no connection. */
  readonly tenantUid: string
  readonly origin: string
  /** Path and query. */
  readonly path: string
  /** Names and values in turn. */
  readonly headers: string[]
  readonly body: Buffer
  readonly timeoutMs: number
  /** Now by Postgres' clock, Unix milliseconds. */
  readonly nowMs: number
}

/** Sends POST requests over one pool of kept connections, all of them through the address guard. */
export class HttpClient {
  readonly #agent: Agent
  readonly #maxBodyBytes: number
  readonly #log: Log

  constructor({ guard, connectTimeoutMs, maxBodyBytes, log }: HttpClientOptions) {
    this.#agent = new Agent({
      connect: guardedConnector(guard, { tenantUid: '', timeoutMs: connectTimeoutMs }),
      connections: MAX_CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      // Every exchange has one deadline of its own, over all phases.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    this.#maxBodyBytes = maxBodyBytes
    this.#log = log
  }

  /** Resolves within the timeout; rejects only for a fault of ours. */
  async post({ origin, path, headers, body, timeoutMs, nowMs }: HttpPost): Promise<SendResult> {
    return new Promise((onResult, onFault) => {
      const exchange = new Exchange({
        timeoutMs,
        maxBodyBytes: this.#maxBodyBytes,
        nowMs,
        onResult,
        onFault,
        onUnknown: this.#logUnknown,
      })
      this.#agent.dispatch({ origin, path, method: 'POST', headers, body }, exchange)
    })
  }

  /** Closes connections; requests in flight must have ended. Idempotent. */
  async stop(): Promise<void> {
    await this.#agent.destroy()
  }

  readonly #logUnknown = (error: Error): void => {
    this.#log.warn('a request failed in a way that has no code of its own', {
      error_name: error.name,
      error_code: errorCode(error),
    })
  }
}

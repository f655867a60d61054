import type { SecureContext } from 'node:tls'
import type { Log } from '@postrider/common'
import { Agent, type buildConnector } from 'undici'
import { KEEP_ALIVE_MS } from '../connection-limits.ts'
import type { SendResult } from '../destination-type.ts'
import { errorCode } from '../failure-code.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { guardedConnector } from '../guard/connector.ts'
import { Exchange } from './exchange.ts'
import type { ForwardProxy } from './forward-proxy.ts'
import { piecewiseReads } from './piecewise-reads.ts'
import { TenantAgents } from './tenant-agents.ts'
import { createTlsContext } from './tls-context.ts'
import { tunnelConnector } from './tunnel-connector.ts'

/**
 * Of one tenant. A deliverer's window bounds what is sent at once; this bounds what connection attempts
 * that outlive their request can add to it, and is as much as the window so that destinations which
 * share a host do not wait for each other.
 */
const MAX_CONNECTIONS_PER_ORIGIN = 1024

const MAX_KEEP_ALIVE_MS = 60_000

/** By then an agent has no connection left. */
const IDLE_AGENT_MS = MAX_KEEP_ALIVE_MS + 5000

export interface HttpClientOptions {
  readonly guard: AddressGuard
  /** TCP and TLS of one connection, which may outlive the request it was made for. */
  readonly connectTimeoutMs: number
  /** Of an answer's body, what is read and kept. */
  readonly maxBodyBytes: number
  /** Versions and trust of TLS. Default: from TLS 1.2 on, and what Node trusts. */
  readonly secureContext?: SecureContext
  /** Everything goes through it. Default: none. */
  readonly proxy?: ForwardProxy | null
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

/** Sends POST requests over kept connections, a set for each tenant, all of them through the address guard. */
export class HttpClient {
  readonly #agents: TenantAgents
  readonly #maxBodyBytes: number
  readonly #log: Log

  constructor(options: HttpClientOptions) {
    const { guard, connectTimeoutMs, maxBodyBytes, log, proxy = null } = options
    const secureContext =
      options.secureContext ?? createTlsContext({ minVersion: 'TLSv1.2', extraCaFile: null })
    this.#agents = new TenantAgents({
      idleMs: IDLE_AGENT_MS,
      create: (tenantUid) => {
        const connection = { tenantUid, timeoutMs: connectTimeoutMs, secureContext }
        return createAgent(
          proxy === null
            ? guardedConnector(guard, connection)
            : tunnelConnector(guard, proxy, connection),
        )
      },
    })
    this.#maxBodyBytes = maxBodyBytes
    this.#log = log
  }

  /** Resolves within the timeout; rejects only for a fault of ours. */
  async post(post: HttpPost): Promise<SendResult> {
    const { tenantUid, origin, path, headers, body, timeoutMs, nowMs } = post
    const agent = this.#agents.get(tenantUid)
    return new Promise((onResult, onFault) => {
      const exchange = new Exchange({
        timeoutMs,
        maxBodyBytes: this.#maxBodyBytes,
        nowMs,
        onResult,
        onFault,
        onUnknown: this.#logUnknown,
      })
      agent.dispatch({ origin, path, method: 'POST', headers, body }, exchange)
    })
  }

  /** Closes connections; requests in flight must have ended. Idempotent. */
  async stop(): Promise<void> {
    await this.#agents.stop()
  }

  readonly #logUnknown = (error: Error): void => {
    this.#log.warn('a request failed in a way that has no code of its own', {
      error_name: error.name,
      error_code: errorCode(error),
    })
  }
}

function createAgent(connect: buildConnector.connector): Agent {
  return new Agent({
    connect: piecewiseReads(connect),
    connections: MAX_CONNECTIONS_PER_ORIGIN,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    // Every exchange has one deadline of its own, over all phases.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

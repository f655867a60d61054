import type { DeliveryDestination, Log } from '@postrider/common'
import { Agent } from 'undici'
import type { Sender, SendRequest, SendResult } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { failed } from '../send-result.ts'
import { Exchange } from './exchange.ts'
import { errorCode } from '../failure-code.ts'
import { type HeaderWriter, headerWriter } from './headers.ts'
import {
  type PreparationOptions,
  type PreparedDestination,
  prepareDestination,
} from './prepared-destination.ts'
import type { WebhookSettings } from './settings.ts'
import type { Signer } from './signer.ts'

/**
 * A deliverer's window bounds what is sent at once; this bounds what connection attempts that outlive
 * their request can add to it, and is far above a tenant's share so that tenants whose receivers share
 * a host do not wait for each other.
 */
const MAX_CONNECTIONS_PER_ORIGIN = 1024

/** An idle connection is kept this long when the receiver does not say; most servers close after 5 s. */
const KEEP_ALIVE_MS = 4000
const MAX_KEEP_ALIVE_MS = 60_000

export interface WebhookSenderOptions {
  readonly settings: WebhookSettings
  readonly signer: Signer
  readonly guard: AddressGuard
  readonly userAgent: string
  /** TCP and TLS of one connection, which may outlive the request it was made for. */
  readonly connectTimeoutMs: number
  readonly log: Log
}

/** Sends webhooks over one pool of kept connections. */
export class WebhookSender implements Sender {
  readonly #agent: Agent
  readonly #writeHeaders: HeaderWriter
  readonly #preparation: PreparationOptions
  readonly #maxBodyBytes: number
  readonly #log: Log
  /** Destinations are immutable, one object per version: what is prepared lives as long as they do. */
  readonly #prepared = new WeakMap<DeliveryDestination, PreparedDestination>()

  constructor({ settings, signer, guard, userAgent, connectTimeoutMs, log }: WebhookSenderOptions) {
    this.#agent = new Agent({
      connect: guard.connector(connectTimeoutMs),
      connections: MAX_CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      // Every exchange has one deadline of its own, over all phases.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    this.#writeHeaders = headerWriter(settings, signer)
    this.#preparation = { headerPrefix: settings.headerPrefix, userAgent, signer }
    this.#maxBodyBytes = settings.maxResponseBodyBytes
    this.#log = log
  }

  async send(request: SendRequest): Promise<SendResult> {
    let prepared: PreparedDestination
    try {
      prepared = this.#prepare(request.destination)
    } catch {
      // Settings that no longer pass validation, such as after an upgrade: the tenant's to mend.
      return failed('unsendable')
    }
    const { origin, path } = prepared
    const headers = this.#writeHeaders(prepared, request)
    return new Promise((onResult, onFault) => {
      const exchange = new Exchange({
        timeoutMs: request.timeoutMs,
        maxBodyBytes: this.#maxBodyBytes,
        nowMs: request.attemptTimeMs,
        onResult,
        onFault,
        onUnknown: this.#logUnknown,
      })
      this.#agent.dispatch({ origin, path, method: 'POST', headers, body: request.data }, exchange)
    })
  }

  async stop(): Promise<void> {
    await this.#agent.destroy()
  }

  #prepare(destination: DeliveryDestination): PreparedDestination {
    const known = this.#prepared.get(destination)
    if (known !== undefined) return known
    const prepared = prepareDestination(destination, this.#preparation)
    this.#prepared.set(destination, prepared)
    return prepared
  }

  readonly #logUnknown = (error: Error): void => {
    this.#log.warn('a webhook failed in a way that has no code of its own', {
      error_name: error.name,
      error_code: errorCode(error),
    })
  }
}

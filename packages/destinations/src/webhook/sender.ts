import type { DeliveryDestination } from '@postrider/common'
import type { Sender, SendRequest, SendResult } from '../destination-type.ts'
import { HttpClient, type HttpClientOptions } from '../http/http-client.ts'
import { failed } from '../send-result.ts'
import { type HeaderWriter, headerWriter } from './headers.ts'
import {
  type PreparationOptions,
  type PreparedDestination,
  prepareDestination,
} from './prepared-destination.ts'
import type { WebhookSettings } from './settings.ts'
import type { Signer } from './signer.ts'

export interface WebhookSenderOptions extends HttpClientOptions {
  readonly settings: WebhookSettings
  readonly signer: Signer
  readonly userAgent: string
}

/** Sends webhooks. */
export class WebhookSender implements Sender {
  readonly #client: HttpClient
  readonly #writeHeaders: HeaderWriter
  readonly #preparation: PreparationOptions
  readonly #httpsOnly: boolean
  /** Destinations are immutable, one object per version: what is prepared lives as long as they do. */
  readonly #prepared = new WeakMap<DeliveryDestination, PreparedDestination>()

  constructor({ settings, signer, userAgent, ...options }: WebhookSenderOptions) {
    this.#client = new HttpClient(options)
    this.#httpsOnly = settings.httpsOnly
    this.#writeHeaders = headerWriter(settings)
    this.#preparation = { headerPrefix: settings.headerPrefix, userAgent, signer }
  }

  async send(request: SendRequest): Promise<SendResult> {
    let prepared: PreparedDestination
    try {
      prepared = this.#prepare(request.destination)
    } catch {
      // Settings that no longer pass validation, such as after an upgrade: the tenant's to mend.
      return failed('unsendable')
    }
    if (this.#httpsOnly && !prepared.origin.startsWith('https:')) return failed('https_required')
    return this.#client.post({
      tenantUid: request.destination.tenantUid,
      origin: prepared.origin,
      path: prepared.path,
      headers: this.#writeHeaders(prepared, request),
      body: request.data,
      timeoutMs: request.timeoutMs,
      nowMs: request.attemptTimeMs,
    })
  }

  async stop(): Promise<void> {
    await this.#client.stop()
  }

  #prepare(destination: DeliveryDestination): PreparedDestination {
    const known = this.#prepared.get(destination)
    if (known !== undefined) return known
    const prepared = prepareDestination(destination, this.#preparation)
    this.#prepared.set(destination, prepared)
    return prepared
  }
}

import type { Sender, SendRequest, SendResult } from '../destination-type.ts'
import { HttpClient, type HttpClientOptions } from '../http/http-client.ts'
import { failed } from '../send-result.ts'
import { relayHeaders } from './headers.ts'
import { parseToken } from './token.ts'

export interface RelaySenderOptions extends HttpClientOptions {
  /** Of the gateway; `{id}` stands for the source's id. */
  readonly url: string
  readonly headerPrefix: string
  readonly userAgent: string
}

/** Sends events to the sources of the gateway. */
export class RelaySender implements Sender {
  readonly #client: HttpClient
  readonly #url: string
  readonly #headerPrefix: string
  readonly #userAgent: string

  constructor({ url, headerPrefix, userAgent, ...options }: RelaySenderOptions) {
    this.#client = new HttpClient(options)
    this.#url = url
    this.#headerPrefix = headerPrefix
    this.#userAgent = userAgent
  }

  async send(request: SendRequest): Promise<SendResult> {
    const { token = '' } = request.destination.credentials
    const source = parseToken(token)
    // A token that no longer passes validation, such as after an upgrade: the tenant's to mend.
    if (source === null) return failed('unsendable')
    const { origin, pathname, search } = new URL(this.#url.replaceAll('{id}', source.sourceId))
    const result = await this.#client.post({
      tenantUid: request.destination.tenantUid,
      origin,
      path: pathname + search,
      headers: relayHeaders(request, {
        headerPrefix: this.#headerPrefix,
        userAgent: this.#userAgent,
        token,
      }),
      body: request.data,
      timeoutMs: request.timeoutMs,
      nowMs: request.attemptTimeMs,
    })
    // A source that is gone may be made again; only a webhook's own 410 is final.
    return { ...result, disable: false }
  }

  async stop(): Promise<void> {
    await this.#client.stop()
  }
}

import { type Axios, AxiosError, create } from 'axios'

export interface Attempt {
  readonly id: string
  readonly event_id: string
  readonly destination_id: string
  readonly attempt_number: number
  readonly status: 'success' | 'failed'
  readonly code: string
  readonly duration_ms: number
  readonly manual: boolean
  readonly time: string
  readonly next_attempt_at: string | null
}

export interface PublishAnswer {
  readonly id: string
  readonly duplicate: boolean
  readonly destination_ids: readonly string[]
}

interface ListAnswer<T> {
  readonly models: readonly T[]
}

/** Postrider does not answer, or refuses; the message says which call and why. */
export class ApiCallError extends Error {
  override readonly name = 'ApiCallError'
}

const TIMEOUT_MS = 10_000
/** The largest page, and more than the demo makes. */
const LIMIT = 1000

/** The calls that the demo makes, as a platform's backend would make them. */
export class ApiClient {
  readonly #axios: Axios
  readonly #tenant: string

  /** @param tenant - whose all calls are */
  constructor(options: { url: string; apiKey: string; tenant: string; signal: AbortSignal }) {
    this.#tenant = options.tenant
    this.#axios = create({
      baseURL: `${options.url}/api/v1`,
      headers: { authorization: `Bearer ${options.apiKey}` },
      timeout: TIMEOUT_MS,
      signal: options.signal,
    })
  }

  async createTenant(): Promise<void> {
    await this.#call('PUT', `/tenants/${this.#tenant}`)
  }

  async deleteTenant(): Promise<void> {
    await this.#call('DELETE', `/tenants/${this.#tenant}`)
  }

  /** Answers with the secret that signs what is sent to it. */
  async createWebhook(webhook: {
    readonly id: string
    readonly topics: readonly string[]
    readonly filter: Readonly<Record<string, unknown>> | null
    readonly url: string
  }): Promise<string> {
    const { id, topics, filter, url } = webhook
    const body = { id, type: 'webhook', topics, filter, config: { url } }
    const path = `/tenants/${this.#tenant}/destinations`
    const made = await this.#call<{ credentials: { secret: string } }>('POST', path, body)
    return made.credentials.secret
  }

  async publish(event: Readonly<Record<string, unknown>>): Promise<PublishAnswer> {
    return await this.#call('POST', '/publish', { tenant_id: this.#tenant, ...event })
  }

  /** All attempts, oldest first. */
  async attempts(): Promise<readonly Attempt[]> {
    const query = `tenant_id=${this.#tenant}&dir=asc&limit=${LIMIT}`
    return (await this.#call<ListAnswer<Attempt>>('GET', `/attempts?${query}`)).models
  }

  async events(): Promise<readonly { readonly id: string; readonly status: string }[]> {
    const path = `/tenants/${this.#tenant}/events?limit=${LIMIT}`
    return (await this.#call<ListAnswer<{ id: string; status: string }>>('GET', path)).models
  }

  async retry(eventId: string, destinationId: string): Promise<void> {
    const body = { tenant_id: this.#tenant, event_id: eventId, destination_id: destinationId }
    await this.#call('POST', '/retry', body)
  }

  async #call<T>(method: string, url: string, data?: unknown): Promise<T> {
    try {
      return (await this.#axios.request<T>({ method, url, data })).data
    } catch (error) {
      if (!(error instanceof AxiosError) || this.#axios.defaults.signal?.aborted === true)
        throw error
      const answer = error.response?.data as { message?: string; data?: string[] } | undefined
      const reason = [answer?.message ?? error.message, ...(answer?.data ?? [])].join(': ')
      throw new ApiCallError(`${method} ${url.replace(/\?.*/, '')}: ${reason}`, { cause: error })
    }
  }
}

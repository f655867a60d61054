/** An answer of the API. */
export interface Answer<T> {
  readonly status: number
  /** The exact text of the body. */
  readonly text: string
  readonly body: T
}

export interface DestinationAnswer {
  readonly id: string
  readonly disabled_at: string | null
  readonly updated_at: string
  readonly config: { readonly url: string }
  readonly credentials: { readonly secret: string }
}

export interface PublishAnswer {
  readonly id: string
  readonly duplicate: boolean
  readonly destination_ids: readonly string[]
}

export interface EventAnswer {
  readonly id: string
  readonly status: string
  readonly deliveries?: readonly {
    readonly destination_id: string
    readonly status: string
    readonly reason: string | null
    readonly attempts: number
    readonly next_attempt_at: string | null
  }[]
}

export interface AttemptAnswer {
  readonly id: string
  readonly attempt_number: number
  readonly status: string
  readonly code: string
  readonly time: string
  readonly next_attempt_at: string | null
}

export interface ListAnswer<T> {
  readonly models: readonly T[]
}

export interface PagedAnswer<T> extends ListAnswer<T> {
  readonly pagination: { readonly next: string | null }
}

/** A client of the HTTP API for tests, as a tenant's backend would write one. */
export class Client {
  readonly #url: string
  readonly #apiKey: string

  constructor(url: string, apiKey: string) {
    this.#url = url
    this.#apiKey = apiKey
  }

  /** @param body - a value for JSON, or the exact text of it */
  async call<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const response = await fetch(`${this.#url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, text, body: JSON.parse(text) as T }
  }

  async createTenant(id: string): Promise<void> {
    const { status, text } = await this.call('PUT', `/tenants/${id}`)
    if (status !== 201) throw new Error(`the tenant was not created: ${text}`)
  }

  async createDestination(tenantId: string, destination: object): Promise<DestinationAnswer> {
    const { status, text, body } = await this.call<DestinationAnswer>(
      'POST',
      `/tenants/${tenantId}/destinations`,
      destination,
    )
    if (status !== 201) throw new Error(`the destination was not created: ${text}`)
    return body
  }

  async createWebhook(
    tenantId: string,
    url: string,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<DestinationAnswer> {
    const webhook = { type: 'webhook', topics: ['*'], config: { url }, ...more }
    return await this.createDestination(tenantId, webhook)
  }

  /** @param patch - a JSON merge patch */
  async changeDestination(tenantId: string, id: string, patch: object): Promise<DestinationAnswer> {
    return await this.#change('PATCH', `/tenants/${tenantId}/destinations/${id}`, patch)
  }

  async disableDestination(tenantId: string, id: string): Promise<DestinationAnswer> {
    return await this.#change('PUT', `/tenants/${tenantId}/destinations/${id}/disable`)
  }

  async publish(event: unknown): Promise<PublishAnswer> {
    const { status, text, body } = await this.call<PublishAnswer>('POST', '/publish', event)
    if (status !== 202) throw new Error(`the event was not accepted: ${text}`)
    return body
  }

  async event(tenantId: string, eventId: string): Promise<EventAnswer> {
    const { body } = await this.call<EventAnswer>('GET', `/tenants/${tenantId}/events/${eventId}`)
    return body
  }

  /** The attempts of an event, oldest first. */
  async attempts(tenantId: string, eventId: string): Promise<readonly AttemptAnswer[]> {
    const { body } = await this.call<ListAnswer<AttemptAnswer>>(
      'GET',
      `/attempts?tenant_id=${tenantId}&event_id=${eventId}&dir=asc`,
    )
    return body.models
  }

  async #change(method: string, path: string, body?: object): Promise<DestinationAnswer> {
    const answer = await this.call<DestinationAnswer>(method, path, body)
    if (answer.status !== 200) throw new Error(`the destination was not changed: ${answer.text}`)
    return answer.body
  }
}

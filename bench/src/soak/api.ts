import type { PlannedDestination, PlannedEvent } from './plan.ts'
import type { GivenSettings } from './type-server.ts'

/** What a delivery has come to, as lists tell it. */
export interface DeliveryAnswer {
  /** The event's. */
  readonly id: string
  readonly status: string
}

export interface AttemptAnswer {
  readonly event_id: string
  readonly attempt_number: number
  readonly status: string
  readonly code: string
  readonly next_attempt_at: string | null
}

interface Page<T> {
  readonly models: readonly T[]
  readonly pagination: { readonly next: string | null }
}

const PAGE = 1000
const CALL_TIMEOUT_MS = 20_000

/** The calls that the run makes, as a platform's backend would make them. */
export class SoakApi {
  readonly #url: string
  readonly #key: string
  readonly #signal: AbortSignal

  constructor({ url, key, signal }: { url: string; key: string; signal: AbortSignal }) {
    this.#url = url
    this.#key = key
    this.#signal = signal
  }

  async createTenant(id: string): Promise<void> {
    await this.#call('PUT', `/tenants/${id}`)
  }

  async createDestination(planned: PlannedDestination, settings: GivenSettings): Promise<void> {
    const { id, tenantId, type, topic } = planned
    const destination = { id, type, topics: [topic], ...settings }
    await this.#call('POST', `/tenants/${tenantId}/destinations`, JSON.stringify(destination))
  }

  /** Resolves with the ids of the destinations that it goes to. */
  async publish({ id, tenantId, topic, data }: PlannedEvent): Promise<readonly string[]> {
    const head = JSON.stringify({ tenant_id: tenantId, id, topic, metadata: { city: 'Köln' } })
    // The bytes of the data must not pass through a serialiser.
    const answer = await this.#call<{ readonly destination_ids: readonly string[] }>(
      'POST',
      '/publish',
      `${head.slice(0, -1)},"data":${data}}`,
    )
    return answer.destination_ids
  }

  /** Every delivery to a destination. */
  async deliveries({ tenantId, id }: PlannedDestination): Promise<readonly DeliveryAnswer[]> {
    return await this.#walk<DeliveryAnswer>(`/tenants/${tenantId}/destinations/${id}/events`)
  }

  /** Every attempt for a destination, oldest first. */
  async attempts({ tenantId, id }: PlannedDestination): Promise<readonly AttemptAnswer[]> {
    return await this.#walk<AttemptAnswer>(`/tenants/${tenantId}/destinations/${id}/attempts`)
  }

  /** Why a delivery will not be tried again; null: it does not say. */
  async reason({ tenantId, id }: PlannedDestination, eventId: string): Promise<string | null> {
    const { deliveries } = await this.#call<{
      readonly deliveries: readonly { destination_id: string; reason: string | null }[]
    }>('GET', `/tenants/${tenantId}/events/${eventId}`)
    return deliveries.find(({ destination_id }) => destination_id === id)?.reason ?? null
  }

  async #walk<T>(path: string): Promise<readonly T[]> {
    const all: T[] = []
    let cursor = ''
    for (;;) {
      const query = `?dir=asc&limit=${PAGE}${cursor}`
      const { models, pagination } = await this.#call<Page<T>>('GET', path + query)
      all.push(...models)
      if (pagination.next === null) return all
      cursor = `&next=${encodeURIComponent(pagination.next)}`
    }
  }

  async #call<T>(method: string, path: string, body?: string): Promise<T> {
    this.#signal.throwIfAborted()
    const response = await fetch(`${this.#url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      // One of its own: fetch leaves its listeners behind.
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text) as T
  }
}

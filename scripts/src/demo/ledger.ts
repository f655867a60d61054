import type { Attempt } from './api-client.ts'

/** One event on its way to one destination, as far as attempts tell. */
export interface DeliveryRecord {
  readonly eventId: string
  readonly destinationId: string
  /** In their order. */
  readonly attempts: readonly Attempt[]
}

interface OpenRecord extends DeliveryRecord {
  readonly attempts: Attempt[]
}

/** What Postrider has recorded of the deliveries that the demo expects. */
export class Ledger {
  readonly #deliveries = new Map<string, OpenRecord>()
  readonly #known = new Set<string>()
  #isClosed = false

  get deliveries(): readonly DeliveryRecord[] {
    return [...this.#deliveries.values()]
  }

  get attempts(): number {
    return this.#known.size
  }

  /** There must be this delivery. An attempt of it may have been taken already. */
  expect(eventId: string, destinationId: string): void {
    this.#open(eventId, destinationId)
  }

  /** Takes what the list of attempts says; answers with those that are new. */
  take(attempts: readonly Attempt[]): readonly Attempt[] {
    const fresh = attempts.filter(({ id }) => !this.#known.has(id))
    for (const attempt of fresh) {
      this.#known.add(attempt.id)
      this.#open(attempt.event_id, attempt.destination_id).attempts.push(attempt)
    }
    return fresh
  }

  /** All deliveries that must be there are known. */
  close(): void {
    this.#isClosed = true
  }

  /** Nothing more will happen: each has arrived, or failed also when it was retried by hand. */
  get isSettled(): boolean {
    return this.#isClosed && this.deliveries.every(({ attempts }) => hasEnded(attempts.at(-1)))
  }

  #open(eventId: string, destinationId: string): OpenRecord {
    const key = `${eventId} ${destinationId}`
    const known = this.#deliveries.get(key)
    if (known !== undefined) return known
    const opened = { eventId, destinationId, attempts: [] }
    this.#deliveries.set(key, opened)
    return opened
  }
}

function hasEnded(last: Attempt | undefined): boolean {
  return last?.status === 'success' || (last?.manual === true && last.next_attempt_at === null)
}

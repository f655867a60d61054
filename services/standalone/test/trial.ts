import { newUid } from '@postrider/common'
import { type Answer, type Receiver, startReceiver, waitFor } from '@postrider/testkit'
import { type Burst, startBurst } from './burst.ts'
import type { Client, EventAnswer, PagedAnswer } from './client.ts'

/** What became of a burst, once nothing of it is open any more. */
export interface Tally {
  /** Events that got a 202 and did not arrive, or are not recorded as a success. */
  readonly missing: readonly string[]
  /**
   * Requests that nobody asked for: the receiver got an event again although no attempt of it had failed.
   */
  readonly doubled: number
}

/** Takes its time, so that whatever dies has sends in flight. */
const SUCCESS: Answer = { delayMs: 20 }
/** Some of them fail, so that retries are under way, too. */
const FIRST_ANSWERS: readonly Answer[] = Array.from({ length: 200 }, (_, i) =>
  i % 5 === 0 ? { ...SUCCESS, status: 500 } : SUCCESS,
)
const DEADLINE_MS = 60_000
/** For a test with a trial in it, whose own deadlines say more. */
export const TRIAL_TIMEOUT_MS = 150_000

/** A tenant with one destination, a burst of publishes, and the count of what came of them. */
export class Trial implements AsyncDisposable {
  readonly #receiver: Receiver
  readonly #tenant: string
  readonly burst: Burst

  private constructor(receiver: Receiver, tenant: string, burst: Burst) {
    this.#receiver = receiver
    this.#tenant = tenant
    this.burst = burst
  }

  /** Starts the burst. */
  static async start(client: Client): Promise<Trial> {
    const tenant = `tenant-${newUid()}`
    await client.createTenant(tenant)
    const receiver = await startReceiver({ answer: SUCCESS })
    receiver.answer(...FIRST_ANSWERS)
    await client.createWebhook(tenant, receiver.url)
    return new Trial(receiver, tenant, startBurst(client, tenant))
  }

  /** Resolves when this many requests arrived: publishes and deliveries are in full swing. */
  async arrivals(count: number): Promise<void> {
    await this.#receiver.waitFor(count, DEADLINE_MS)
  }

  /** Ends the burst and waits until everything that was published is delivered, then counts. */
  async tally(client: Client): Promise<Tally> {
    const { accepted } = this.burst
    await this.burst.end()
    await this.#arrived(accepted)
    const statuses = await waitFor(
      async () => {
        const found = await this.#statuses(client)
        return [...found.values()].every((status) => status === 'success') && found
      },
      { what: 'every event recorded as a success', deadlineMs: DEADLINE_MS },
    )
    // Nothing is open, so no further job is made; what is queued before this event has had its turn when
    // it arrives.
    const last = await client.publish({ tenant_id: this.#tenant, topic: 't', data: {} })
    await this.#arrived(new Set([last.id]))
    return {
      missing: [...accepted].filter((id) => !statuses.has(id)),
      doubled: await this.#countDoubled(client),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.burst.end()
    await this.#receiver.stop()
  }

  async #arrived(ids: ReadonlySet<string>): Promise<void> {
    const missing = new Set(ids)
    let seen = 0
    await waitFor(
      () => {
        const { requests } = this.#receiver
        for (; seen < requests.length; seen++) missing.delete(requests[seen]?.eventId ?? '')
        return missing.size === 0
      },
      { what: `the arrival of ${ids.size} events`, deadlineMs: DEADLINE_MS },
    )
  }

  async #statuses(client: Client): Promise<Map<string, string>> {
    const statuses = new Map<string, string>()
    let next: string | null = null
    do {
      const cursor: string = next === null ? '' : `&next=${next}`
      const { body } = await client.call<PagedAnswer<EventAnswer>>(
        'GET',
        `/tenants/${this.#tenant}/events?limit=1000${cursor}`,
      )
      for (const { id, status } of body.models) statuses.set(id, status)
      next = body.pagination.next
    } while (next !== null)
    return statuses
  }

  async #countDoubled(client: Client): Promise<number> {
    const arrivals = new Map<string, number>()
    for (const { eventId } of this.#receiver.requests) {
      arrivals.set(eventId ?? '', (arrivals.get(eventId ?? '') ?? 0) + 1)
    }
    let doubled = 0
    for (const [id, times] of arrivals) {
      if (times === 1) continue
      const attempts = await client.attempts(this.#tenant, id)
      // Answered with 500, or, on a busy machine, too late.
      const failed = attempts.filter(({ status }) => status === 'failed').length
      doubled += Math.max(0, times - 1 - failed)
    }
    return doubled
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { SoakApi } from './api.ts'
import type { Ledger } from './ledger.ts'
import { hashOf, type PlannedDestination, type PlannedEvent, planEvent } from './plan.ts'
import { Random } from './random.ts'
import type { SoakOptions } from './options.ts'

/** What has to come of what was accepted: for each destination the hash of each event's data. */
export type Expected = ReadonlyMap<string, ReadonlyMap<string, string>>

export interface Publishing {
  readonly published: number
  /** Deliveries that must come of it. */
  readonly expected: Expected
  /** Accepted with other destinations than it matches. */
  readonly problems: readonly string[]
  readonly done: Promise<void>
}

const LANES = 8
/**
 * Deliveries that servers in good health may have before them. More would be a test of how fast the
 * machine is: answers would be late because there is so much to do.
 */
const MAX_AHEAD = 150
const PAUSE_MS = 5

/** Publishes all events, as fast as the servers in good health get them. */
export function startPublishing(stage: {
  readonly api: SoakApi
  readonly destinations: readonly PlannedDestination[]
  readonly options: SoakOptions
  readonly ledger: Ledger
  readonly signal: AbortSignal
}): Publishing {
  const { api, destinations, options, ledger, signal } = stage
  const random = new Random(options.seed)
  const expected = new Map(destinations.map(({ id }) => [id, new Map<string, string>()]))
  const healthy = destinations.filter(({ isIll }) => !isIll).map(({ id }) => id)
  const problems: string[] = []
  let begun = 0
  let published = 0

  const ahead = (): number =>
    healthy.reduce((sum, id) => sum + (expected.get(id)?.size ?? 0) - ledger.had(id), 0)
  const publish = async (event: PlannedEvent): Promise<void> => {
    const matching = destinations.filter(
      ({ tenantId, topic }) => tenantId === event.tenantId && topic === event.topic,
    )
    // Before the answer, which may come after a delivery.
    for (const { id } of matching) expected.get(id)?.set(event.id, hashOf(event.data))
    const ids = await api.publish(event)
    published += 1
    const wanted = matching.map(({ id }) => id).toSorted()
    if (wanted.join() !== ids.toSorted().join()) {
      problems.push(`${event.id} goes to ${ids.join()}, not to ${wanted.join()}`)
    }
  }
  const lane = async (): Promise<void> => {
    while (begun < options.events) {
      const event = planEvent(begun++, { ...options, random })
      while (ahead() > MAX_AHEAD) await pause(PAUSE_MS, undefined, { signal })
      await publish(event)
    }
  }
  return {
    get published() {
      return published
    },
    expected,
    problems,
    done: Promise.all(Array.from({ length: LANES }, lane)).then(() => undefined),
  }
}

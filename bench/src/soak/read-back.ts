import { setTimeout as pause } from 'node:timers/promises'
import type { AttemptAnswer, SoakApi } from './api.ts'
import { hasEnded } from './judge.ts'
import type { PlannedDestination } from './plan.ts'
import type { Expected } from './publish.ts'

/** What Postrider says of a delivery. */
export interface Told {
  /** Null: it is in no list. */
  readonly status: string | null
  readonly reason: string | null
  readonly attempts: readonly AttemptAnswer[]
}

/** For each destination what is told of each event. */
export type Account = Map<string, ReadonlyMap<string, Told>>

const PAUSE_MS = 1000

/**
 * Reads deliveries and attempts through the lists of the API, again and again until all have ended or
 * the signal aborts; what was read by then stays in the account.
 */
export async function readBack(
  api: SoakApi,
  destinations: readonly PlannedDestination[],
  expected: Expected,
  { account, signal }: { readonly account: Account; readonly signal: AbortSignal },
): Promise<void> {
  let open = destinations
  while (open.length > 0) {
    const stillOpen: PlannedDestination[] = []
    for (const destination of open) {
      const told = await readDestination(api, destination, expected)
      account.set(destination.id, told)
      if (![...told.values()].every(hasEnded)) stillOpen.push(destination)
    }
    open = stillOpen
    if (open.length > 0) await pause(PAUSE_MS, undefined, { signal })
  }
  for (const destination of destinations) await readReasons(api, destination, account)
}

/** Of every event that is expected there, and of those that are not. */
async function readDestination(
  api: SoakApi,
  destination: PlannedDestination,
  expected: Expected,
): Promise<ReadonlyMap<string, Told>> {
  const deliveries = await api.deliveries(destination)
  const statuses = new Map(deliveries.map(({ id, status }) => [id, status]))
  const attempts = new Map<string, AttemptAnswer[]>()
  for (const attempt of await api.attempts(destination)) {
    attempts.set(attempt.event_id, [...(attempts.get(attempt.event_id) ?? []), attempt])
  }
  const ids = new Set([...(expected.get(destination.id)?.keys() ?? []), ...statuses.keys()])
  return new Map(
    [...ids].map((id) => [
      id,
      { status: statuses.get(id) ?? null, reason: null, attempts: attempts.get(id) ?? [] },
    ]),
  )
}

async function readReasons(
  api: SoakApi,
  destination: PlannedDestination,
  account: Account,
): Promise<void> {
  const told = new Map(account.get(destination.id))
  for (const [id, each] of told) {
    if (each.status !== 'failed') continue
    told.set(id, { ...each, reason: await api.reason(destination, id) })
  }
  account.set(destination.id, told)
}

import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@postrider/testkit'
import type { Client } from './client.ts'

/** Publishes of several backends at once, until it is ended. */
export interface Burst {
  /** The ids of the events whose publish got its 202. */
  readonly accepted: ReadonlySet<string>
  /** Publishes with another answer, or none: nothing is promised about them. */
  readonly unaccepted: number
  /** The longest wait for a 202. */
  readonly slowestMs: number
  /** Resolves when this many were accepted. */
  reached(count: number): Promise<void>
  /** Lets every publisher have its last answer. Idempotent. */
  end(): Promise<void>
}

const PUBLISHERS = 12
/**
 * The first events come as fast as they can, so that jobs are queued and in flight everywhere; those after
 * them are paced, so that a burst which lasts through the restart of a server stays in the hundreds.
 */
const RUSH_EVENTS = 400
const PACE_MS = 100
const DEADLINE_MS = 60_000

/** Starts publishing for a tenant; whoever starts it ends it. */
export function startBurst(client: Client, tenant: string): Burst {
  const accepted = new Set<string>()
  let unaccepted = 0
  let slowestMs = 0
  const ending = new AbortController()
  const publishOn = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const startedAt = performance.now()
      try {
        const { id } = await client.publish({
          tenant_id: tenant,
          topic: 't',
          data: { some: 'data' },
        })
        accepted.add(id)
        slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      } catch {
        unaccepted++
      }
      if (accepted.size + unaccepted >= RUSH_EVENTS) await delay(PACE_MS)
    }
  }
  const publishers = Array.from({ length: PUBLISHERS }, publishOn)
  return {
    accepted,
    get unaccepted() {
      return unaccepted
    },
    get slowestMs() {
      return slowestMs
    },
    reached: async (count) => {
      await waitFor(() => accepted.size >= count, {
        what: `${count} accepted publishes`,
        deadlineMs: DEADLINE_MS,
      })
    },
    end: async () => {
      ending.abort()
      await Promise.all(publishers)
    },
  }
}

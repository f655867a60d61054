import { setTimeout as delay } from 'node:timers/promises'
import {
  ensurePartitions,
  type InsertedBatch,
  type InsertOptions,
  insertPublishBatch,
  type NewEvent,
  reactionTo,
  type Store,
} from '@postrider/store'

/** What became of one event of a batch. */
export type EventFate =
  | { readonly kind: 'inserted'; readonly batch: InsertedBatch }
  /** Another event has its id. */
  | { readonly kind: 'taken' }
  /** Its tenant is gone. */
  | { readonly kind: 'orphaned' }
  | { readonly kind: 'failed'; readonly error: unknown }

const MAX_TRIES = 5
/** Batches that met once should not meet again at the same moment. */
const MAX_JITTER_MS = 20

/**
 * Inserts events, so that each gets an answer of its own: what can succeed at once is run again, a
 * missing day is made, and a batch that Postgres refuses is halved until the guilty event stands alone.
 *
 * Postgres away fails all that is left. An event whose COMMIT was answered by nobody may exist.
 *
 * @returns the fate of each event, in order
 */
export async function insertEvents(
  store: Store,
  events: readonly NewEvent[],
  options: InsertOptions,
): Promise<readonly EventFate[]> {
  if (events.length === 0) return []
  for (let tries = 1; ; tries++) {
    try {
      const batch = await insertPublishBatch(store, events, options)
      const inserted: EventFate = { kind: 'inserted', batch }
      return events.map((event) => {
        if (batch.taken.has(event.uid)) return TAKEN
        return batch.orphaned.has(event.uid) ? ORPHANED : inserted
      })
    } catch (error) {
      const reaction = reactionTo(error)
      if (reaction === 'refused' && events.length > 1) break
      if (reaction === 'refused' || reaction === 'away' || tries === MAX_TRIES) {
        return events.map(() => ({ kind: 'failed', error }))
      }
      store.log.warn('publish batch is run again', { reaction, tries, error })
      if (reaction === 'no-partition') await makePartitions(store)
      else await delay(Math.random() * MAX_JITTER_MS * tries)
    }
  }
  const middle = Math.ceil(events.length / 2)
  return [
    ...(await insertEvents(store, events.slice(0, middle), options)),
    ...(await insertEvents(store, events.slice(middle), options)),
  ]
}

const TAKEN: EventFate = { kind: 'taken' }
const ORPHANED: EventFate = { kind: 'orphaned' }

async function makePartitions(store: Store): Promise<void> {
  try {
    await ensurePartitions(store.pools.work)
  } catch (error) {
    // The insert is tried again in any case: another process may have made them.
    store.log.warn('partitions could not be made', { error })
  }
}

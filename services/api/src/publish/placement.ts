import { type Job, INLINE_DATA_LIMIT_BYTES, jobBytes, type Log } from '@postrider/common'
import type { Place, SharedState } from '@postrider/state'
import type { InsertedBatch, NewDelivery, NewEvent } from '@postrider/store'
import type { Draft } from './draft.ts'
import type { PlacedJob } from './hand-over.ts'

/** An event ready to be inserted, and the places that its deliveries hold. */
export interface PlacedEvent {
  readonly draft: Draft
  readonly event: NewEvent
  /** In the order of its deliveries with a place. */
  readonly places: readonly Place[]
}

export interface PlacementOptions {
  readonly state: SharedState
  readonly log: Log
  readonly leaseMs: number
  /** False: no job could be published now, so no places are taken. */
  readonly isOpen: boolean
}

/** The dispatch of a delivery's first job. */
const FIRST_DISPATCH = 1

/**
 * Takes places for the deliveries to enabled destinations; those that get none will wait in Postgres.
 *
 * A tenant with a backlog gets none: its newest events would overtake its oldest.
 */
export async function placeEvents(
  drafts: readonly Draft[],
  options: PlacementOptions,
): Promise<readonly PlacedEvent[]> {
  const wanted = options.isOpen ? drafts.flatMap(placesFor) : []
  const taken = await takePlaces(wanted, options)
  let next = 0
  return drafts.map((draft) => {
    const places: Place[] = []
    const deliveries: NewDelivery[] = (draft.matches ?? []).map((destination) => {
      let intake: NewDelivery['intake'] = 'disabled'
      if (!destination.isDisabled) {
        const place = wanted[next]
        intake = taken[next] === true ? 'placed' : 'waiting'
        if (intake === 'placed' && place !== undefined) places.push(place)
        next += 1
      }
      return { destinationUid: destination.uid, destinationId: destination.id, intake }
    })
    return { draft, event: newEvent(draft, deliveries), places }
  })
}

function placesFor(draft: Draft): Place[] {
  const bytes = jobBytes(draft.publication.data.length)
  const places: Place[] = []
  for (const destination of draft.matches ?? []) {
    if (destination.isDisabled) continue
    places.push({
      queue: 'fresh',
      tenantUid: draft.tenantUid,
      destinationUid: destination.uid,
      eventUid: draft.eventUid,
      dispatch: FIRST_DISPATCH,
      bytes,
    })
  }
  return places
}

async function takePlaces(
  wanted: readonly Place[],
  { state, log, leaseMs }: PlacementOptions,
): Promise<readonly boolean[]> {
  if (wanted.length === 0) return []
  try {
    return await state.takePlaces(wanted, { expiresInMs: leaseMs, yieldToBacklog: true })
  } catch (error) {
    // Without places the deliveries are due now; any that were taken end by themselves.
    log.warn('no places for a publish batch', { count: wanted.length, error })
    return []
  }
}

function newEvent(draft: Draft, deliveries: readonly NewDelivery[]): NewEvent {
  const { publication } = draft
  return {
    uid: draft.eventUid,
    tenantUid: draft.tenantUid,
    id: draft.eventId,
    contentHash: draft.contentHash,
    topic: publication.topic,
    timeMs: draft.timeMs,
    metadata: publication.metadata,
    data: publication.data,
    isEligibleForRetry: publication.isEligibleForRetry,
    deliveries,
  }
}

/** The first jobs of an event that was inserted. */
export function firstJobs({ event, places }: PlacedEvent, batch: InsertedBatch): PlacedJob[] {
  const data = event.data.length > INLINE_DATA_LIMIT_BYTES ? null : event.data
  return places.map((place) => {
    const job: Job = {
      queue: place.queue,
      eventUid: event.uid,
      destinationUid: place.destinationUid,
      receivedAt: batch.receivedAt,
      dispatch: place.dispatch,
      tenantUid: event.tenantUid,
      eventId: event.id,
      topic: event.topic,
      timeMs: event.timeMs,
      metadata: event.metadata,
      leaseEndMs: batch.leaseEndMs,
      verify: false,
      manual: false,
      data,
    }
    return { job, place }
  })
}

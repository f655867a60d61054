import { type Kysely, sql } from 'kysely'
import type { DestinationName, Missing } from '../destinations.ts'
import type { Schema } from '../schema.ts'
import type { Store } from '../store.ts'
import { eventCandidates, type EventSelection } from './event-candidates.ts'
import { type EventKey, type EventView, readEvents } from './event-reads.ts'
import { cutPage, type Page, type PageRequest } from './page.ts'
import { locateDestination, type LocatedDestination } from './scope.ts'
import { readInSnapshot } from './snapshot.ts'
import { walkOf } from './walk.ts'

/**
 * Events as one destination sees them: those that have a delivery there, and the status is that of this
 * delivery, whatever became of the event elsewhere.
 */

/** Which events of a destination a list shows. Null: whatever it is; all that is given must hold. */
export type DestinationEventFilter = Pick<
  EventSelection,
  'topics' | 'ids' | 'deliveryStatus' | 'bounds'
>

/** A page of the events of a destination that exists, in the order of their time. */
export async function listDestinationEvents(
  store: Store,
  name: DestinationName,
  filter: DestinationEventFilter,
  request: PageRequest,
): Promise<{ readonly kind: 'found'; readonly page: Page<EventView> } | Missing> {
  return await readInSnapshot(store, async (db) => {
    const located = await locateDestination(db, name)
    if (located.kind !== 'located') return located
    const { uid, tenantUid } = located
    const selection = { ...filter, tenantUids: [tenantUid], destinationUids: [uid], status: null }
    const walk = walkOf(request, filter.bounds)
    const { rows } = await eventCandidates(selection, walk, request.limit).execute(db)
    const page = cutPage(rows, request)
    const items = await readEvents(db, page.items, { data: true, statusAt: uid })
    return { kind: 'found', page: { ...page, items } }
  })
}

/** What `findDestinationEvent` finds. */
export type FoundDestinationEvent =
  | { readonly kind: 'found'; readonly event: EventView }
  | { readonly kind: 'event_not_found' }
  | Missing

/** The event of this id that has a delivery to a destination that exists; the newest if there are several. */
export async function findDestinationEvent(
  store: Store,
  name: DestinationName,
  eventId: string,
): Promise<FoundDestinationEvent> {
  return await readInSnapshot(store, async (db) => {
    const located = await locateDestination(db, name)
    if (located.kind !== 'located') return located
    const keys = await findDeliveredKey(db, located, eventId)
    const [event] = await readEvents(db, keys, { data: true, statusAt: located.uid })
    return event === undefined ? { kind: 'event_not_found' } : { kind: 'found', event }
  })
}

async function findDeliveredKey(
  db: Kysely<Schema>,
  { uid, tenantUid }: LocatedDestination,
  eventId: string,
): Promise<EventKey[]> {
  const { rows } = await sql<EventKey>`
    select e.uid, e.received_at::text
    from events e
    join deliveries d on d.event_uid = e.uid and d.received_at = e.received_at
    where e.id = ${eventId} and e.tenant_uid = ${tenantUid}::uuid and d.destination_uid = ${uid}::uuid
    order by e.received_at desc, e.uid desc
    limit 1`.execute(db)
  return rows
}

import type { Store } from '../store.ts'
import { eventCandidates, type EventSelection } from './event-candidates.ts'
import { type EventView, readEvents } from './event-reads.ts'
import { cutPage, EMPTY_PAGE, type Page, type PageRequest } from './page.ts'
import { destinationUids, liveTenantUids } from './scope.ts'
import { readInSnapshot } from './snapshot.ts'
import { walkOf } from './walk.ts'

/** Which events a list shows, by public ids. Null: whatever it is; all that is given must hold. */
export interface EventFilter extends Omit<EventSelection, 'tenantUids' | 'destinationUids'> {
  /** Null: all tenants that exist. */
  readonly tenantIds: readonly string[] | null
  /** The event has a delivery to one of these. */
  readonly destinationIds: readonly string[] | null
}

/** A page of events, in the order of their time. Only what living tenants own is in the list. */
export async function listEvents(
  store: Store,
  filter: EventFilter,
  request: PageRequest,
): Promise<Page<EventView>> {
  const { tenantIds, destinationIds, ...others } = filter
  return await readInSnapshot(store, async (db) => {
    const tenants = tenantIds === null ? null : await liveTenantUids(db, tenantIds)
    const destinations =
      destinationIds === null ? null : await destinationUids(db, destinationIds, tenants)
    if (tenants?.length === 0 || destinations?.length === 0) return EMPTY_PAGE
    // What was delivered to anybody is not unmatched: a whole list would be read for nothing.
    if (destinations !== null && filter.status === 'unmatched') return EMPTY_PAGE
    const selection = { ...others, tenantUids: tenants, destinationUids: destinations }
    const walk = walkOf(request, filter.bounds)
    const { rows } = await eventCandidates(selection, walk, request.limit).execute(db)
    const page = cutPage(rows, request)
    return { ...page, items: await readEvents(db, page.items, { data: true }) }
  })
}

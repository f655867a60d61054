import type { Store } from '../store.ts'
import {
  attemptCandidates,
  type AttemptParts,
  type AttemptSelection,
} from './attempt-candidates.ts'
import { type AttemptView, readAttempts } from './attempt-reads.ts'
import { cutPage, EMPTY_PAGE, type Page, type PageRequest } from './page.ts'
import { destinationUids, eventUids, liveTenantUids } from './scope.ts'
import { readInSnapshot } from './snapshot.ts'
import { walkOf } from './walk.ts'

/** Which attempts a list shows, by public ids. Null: whatever it is; all that is given must hold. */
export interface AttemptFilter extends Omit<
  AttemptSelection,
  'tenantUids' | 'destinationUids' | 'eventUids'
> {
  /** Null: all tenants that exist. */
  readonly tenantIds: readonly string[] | null
  readonly destinationIds: readonly string[] | null
  readonly eventIds: readonly string[] | null
}

/** A page of attempts, in the order of their time. Only what living tenants own is in the list. */
export async function listAttempts(
  store: Store,
  filter: AttemptFilter,
  parts: AttemptParts,
  request: PageRequest,
): Promise<Page<AttemptView>> {
  const { tenantIds, destinationIds, eventIds, ...others } = filter
  return await readInSnapshot(store, async (db) => {
    const tenants = tenantIds === null ? null : await liveTenantUids(db, tenantIds)
    const destinations =
      destinationIds === null ? null : await destinationUids(db, destinationIds, tenants)
    const events = eventIds === null ? null : await eventUids(db, eventIds, tenants)
    const given = [tenants, destinations, events, filter.uids]
    if (given.some((uids) => uids?.length === 0)) return EMPTY_PAGE
    const selection = {
      ...others,
      tenantUids: tenants,
      destinationUids: destinations,
      eventUids: events,
    }
    const walk = walkOf(request, filter.bounds)
    const { rows } = await attemptCandidates(selection, parts, walk, request.limit).execute(db)
    const page = cutPage(rows, request)
    return { ...page, items: await readAttempts(db, page.items, parts) }
  })
}

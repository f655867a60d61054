import {
  DESTINATION_COLUMNS,
  type DestinationRow,
  type StoredDestination,
  toStoredDestination,
} from '../destination-rows.ts'
import type { DestinationName, Missing } from '../destinations.ts'
import type { Store } from '../store.ts'
import { locateDestination, type LocatedDestination } from './scope.ts'

/** Where the living destination of this name is, for who needs no more of it. */
export async function findDestination(
  store: Store,
  name: DestinationName,
): Promise<LocatedDestination | Missing> {
  return await locateDestination(store.db, name)
}

/** The living ones of these destinations, in no order. */
export async function readDestinations(
  store: Store,
  uids: readonly string[],
): Promise<StoredDestination[]> {
  const { rows } = await store.pools.query.query<DestinationRow>(
    `select ${DESTINATION_COLUMNS}
     from destinations d join tenants t on t.uid = d.tenant_uid
     where d.uid = any($1::uuid[]) and d.deleted_at is null`,
    [uids],
  )
  return rows.map((row) => toStoredDestination(store, row))
}

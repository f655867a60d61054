import { findDestination, type Store } from '@postrider/store'
import { missing } from './missing.ts'

/**
 * The uid of a destination that exists, for routes about what belongs to it.
 *
 * @throws {ApiError} tenant_not_found, destination_not_found
 */
export async function requireDestination(
  store: Store,
  name: { readonly tenantId: string; readonly id: string },
): Promise<string> {
  const found = await findDestination(store, name)
  if (found.kind !== 'located') throw missing(found.kind, name)
  return found.uid
}

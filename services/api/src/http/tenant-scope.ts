import { getTenant, type Store } from '@postrider/store'
import { ApiError, tenantNotFound } from './errors.ts'
import type { Caller } from './route.ts'

/**
 * The tenants whose rows a caller may see and wants to see; null: all of them.
 *
 * @param wanted - the tenants that were asked for, if any were
 * @throws {ApiError} forbidden, when a tenant asks for another one
 */
export function tenantScope(
  caller: Caller,
  wanted: readonly string[] | undefined,
): readonly string[] | null {
  if (caller.kind !== 'tenant') return wanted ?? null
  if (wanted?.some((id) => id !== caller.tenantId) === true) {
    throw new ApiError('forbidden', 'the token is for another tenant')
  }
  return [caller.tenantId]
}

/** @throws {ApiError} tenant_not_found */
export async function requireTenant(store: Store, id: string): Promise<void> {
  if ((await getTenant(store, id)) === null) throw tenantNotFound(id)
}

import { getTenant, type Store } from '@postrider/store'
import { ApiError, tenantNotFound } from './errors.ts'
import type { Caller } from './route.ts'

/**
 * What tenants see of a service that is for many: everything that says whose rows a caller gets is here.
 */

/**
 * Refuses a tenant that names another one.
 *
 * @param wanted - whom the request names; undefined: nobody
 * @throws {ApiError} forbidden
 */
export function refuseForeigner(caller: Caller, wanted: readonly unknown[] | undefined): void {
  if (caller.kind !== 'tenant') return
  if (wanted?.some((id) => id !== caller.tenantId) === true) {
    throw new ApiError('forbidden', 'the token is for another tenant')
  }
}

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
  refuseForeigner(caller, wanted)
  return caller.kind === 'tenant' ? [caller.tenantId] : (wanted ?? null)
}

/** @throws {ApiError} tenant_not_found */
export async function requireTenant(store: Store, id: string): Promise<void> {
  if ((await getTenant(store, id)) === null) throw tenantNotFound(id)
}

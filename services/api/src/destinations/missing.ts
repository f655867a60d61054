import { type ApiError, destinationNotFound, tenantNotFound } from '../http/errors.ts'

/** Which of the two does not exist. */
export function missing(
  kind: 'tenant_not_found' | 'destination_not_found',
  name: { readonly tenantId: string; readonly id: string },
): ApiError {
  return kind === 'tenant_not_found' ? tenantNotFound(name.tenantId) : destinationNotFound(name.id)
}

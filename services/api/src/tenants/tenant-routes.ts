import type { ApiContext } from '../context.ts'
import type { Route } from '../http/route.ts'
import { deleteTenantRoute } from './delete-tenant.ts'
import { getJwksRoute } from './get-jwks.ts'
import { getTenantRoute } from './get-tenant.ts'
import { getTokenRoute } from './get-token.ts'
import { listTenantsRoute } from './list-tenants.ts'
import { putTenantRoute } from './put-tenant.ts'
import { rotateSigningKeysRoute } from './rotate-signing-keys.ts'

export function tenantRoutes(context: ApiContext): readonly Route[] {
  return [
    listTenantsRoute(context),
    putTenantRoute(context),
    getTenantRoute(context),
    deleteTenantRoute(context),
    getTokenRoute(context),
    getJwksRoute(context),
    rotateSigningKeysRoute(context),
  ]
}

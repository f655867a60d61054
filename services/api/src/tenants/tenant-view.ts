import { type Static, Type } from 'typebox'
import type { Tenant } from '@postrider/store'
import { Metadata } from '../http/metadata.ts'
import { PublicId, Time } from '../http/schemas.ts'

/** A tenant in answers (API.md section 4). */
export const TenantView = Type.Object(
  {
    id: PublicId,
    destinations_count: Type.Integer({ minimum: 0 }),
    topics: Type.Array(Type.String()),
    metadata: Metadata,
    created_at: Time,
    updated_at: Time,
  },
  { title: 'Tenant', additionalProperties: false },
)

export function tenantView(tenant: Tenant): Static<typeof TenantView> {
  return {
    id: tenant.id,
    destinations_count: tenant.destinationsCount,
    topics: [...tenant.topics],
    metadata: tenant.metadata,
    created_at: tenant.createdAt.toISOString(),
    updated_at: tenant.updatedAt.toISOString(),
  }
}

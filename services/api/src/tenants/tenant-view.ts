import { type Static, Type } from 'typebox'
import type { Tenant } from '@postrider/store'
import { Metadata } from '../http/metadata.ts'
import { PublicId, Time } from '../http/schemas.ts'

/** A tenant in answers (docs/api.md). */
export const TenantView = Type.Object(
  {
    id: PublicId,
    destinations_count: Type.Integer({ minimum: 0 }),
    topics: Type.Array(Type.String(), {
      description: 'All topics of its destinations; `["*"]` if one of them has all.',
    }),
    metadata: Metadata,
    created_at: Time,
    updated_at: Time,
  },
  {
    title: 'Tenant',
    additionalProperties: false,
    examples: [
      {
        id: 'acme',
        destinations_count: 1,
        topics: ['order.created'],
        metadata: { plan: 'pro' },
        created_at: '2026-11-21T11:00:00.000Z',
        updated_at: '2026-11-21T11:30:00.000Z',
      },
    ],
  },
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

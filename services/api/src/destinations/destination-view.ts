import { type Static, Type } from 'typebox'
import { maskCredentials, type DestinationType, type Registry } from '@postrider/destinations'
import type { StoredDestination } from '@postrider/store'
import { Metadata } from '../http/metadata.ts'
import { nullable, PublicId, StringMap, Time } from '../http/schemas.ts'
import { Filter } from './destination-input.ts'
import { currentCredentials } from './settings.ts'

/** A destination in answers (docs/api.md). */
export const DestinationView = Type.Object(
  {
    id: PublicId,
    tenant_id: PublicId,
    type: Type.String(),
    topics: Type.Array(Type.String(), { minItems: 1 }),
    config: StringMap,
    credentials: StringMap,
    filter: Type.Optional(Filter),
    delivery_metadata: Type.Optional(Metadata),
    metadata: Type.Optional(Metadata),
    target: Type.String({ description: 'Where it points to, for people.' }),
    target_url: Type.Optional(Type.String({ description: 'A page about the target.' })),
    disabled_at: nullable(
      Type.String({ ...Time, description: 'When it was disabled; null: it is enabled.' }),
    ),
    created_at: Time,
    updated_at: Time,
  },
  {
    title: 'Destination',
    additionalProperties: false,
    examples: [
      {
        id: 'des_orders',
        tenant_id: 'acme',
        type: 'webhook',
        topics: ['order.created'],
        config: { url: 'https://example.com/hooks' },
        credentials: { secret: 'whsec_Q2hhbmdlIG1lLCBJIGFtIG9ubHkgYW4gZXhhbXBsZS4=' },
        target: 'https://example.com/hooks',
        target_url: 'https://example.com/hooks',
        disabled_at: null,
        created_at: '2026-11-21T11:30:00.000Z',
        updated_at: '2026-11-21T11:30:00.000Z',
      },
    ],
  },
)

/** @param nowMs - by Postgres' clock or near it: secrets whose time is over are not shown */
export function destinationView(
  destination: StoredDestination,
  registry: Registry,
  nowMs: number,
): Static<typeof DestinationView> {
  const type = typeOf(destination, registry)
  const { filter, config, deliveryMetadata, metadata, disabledAt } = destination
  const { target, targetUrl } = type.target(destination)
  return {
    id: destination.id,
    tenant_id: destination.tenantId,
    type: destination.type,
    topics: [...destination.topics],
    config,
    credentials: maskCredentials(
      type.document,
      currentCredentials(type, destination.credentials, nowMs),
    ),
    ...(filter === null ? {} : { filter }),
    ...(isEmpty(deliveryMetadata) ? {} : { delivery_metadata: deliveryMetadata }),
    ...(isEmpty(metadata) ? {} : { metadata }),
    target,
    ...(targetUrl === null ? {} : { target_url: targetUrl }),
    disabled_at: disabledAt?.toISOString() ?? null,
    created_at: destination.createdAt.toISOString(),
    updated_at: destination.updatedAt.toISOString(),
  }
}

/** @throws {Error} When this process does not know the type: newer code has written it */
export function typeOf(destination: StoredDestination, registry: Registry): DestinationType {
  const type = registry.get(destination.type)
  if (type === undefined) throw new Error(`destination type ${destination.type} is not registered`)
  return type
}

function isEmpty(map: object): boolean {
  return Object.keys(map).length === 0
}

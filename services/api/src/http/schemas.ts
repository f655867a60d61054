import { type Static, type TSchema, Type } from 'typebox'

/** Schemas that several routes share; the rules are those of docs/api.md. */

/** A public id of a tenant or a destination. */
export const PublicId = Type.String({
  pattern: '^[A-Za-z0-9._-]{1,128}$',
  'x-rule': 'must be 1 to 128 of A-Z a-z 0-9 . _ -',
})

export const TenantId = Type.String({
  ...PublicId,
  description: 'The id of a tenant.',
  examples: ['acme'],
})

export const DestinationId = Type.String({
  ...PublicId,
  description: 'The id of a destination of the tenant.',
  examples: ['des_orders'],
})

export const EventId = Type.String({
  pattern: '^[A-Za-z0-9._:-]{1,128}$',
  'x-rule': 'must be 1 to 128 of A-Z a-z 0-9 . _ : -',
  description: 'The id of an event.',
  examples: ['evt_order_1'],
})

export const TenantParams = Type.Object({ tenant_id: TenantId })

export const DestinationParams = Type.Object({
  tenant_id: TenantId,
  destination_id: DestinationId,
})

/** RFC 3339. */
export const Time = Type.String({ format: 'date-time' })

export const Success = Type.Object(
  { success: Type.Literal(true) },
  { title: 'Success', additionalProperties: false },
)

/** The same, or null. */
export function nullable<T extends TSchema>(schema: T): TSchema & { '~unsafe': Static<T> | null } {
  const { type } = schema as { type?: string }
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'] })
}

export const SUCCESS: Static<typeof Success> = { success: true }

/** Config and credentials in answers. Not `Type.Record`, for the reason given at `Metadata`. */
export const StringMap = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  additionalProperties: { type: 'string' },
})

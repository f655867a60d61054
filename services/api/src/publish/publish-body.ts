import { type ByteRange, findMembers, timeFaults } from '@postrider/common'
import { type TSchema, Type } from 'typebox'
import { ApiError } from '../http/errors.ts'
import { Metadata, metadataFaults } from '../http/metadata.ts'
import { DestinationId, EventId, TenantId } from '../http/schemas.ts'

/** Empty is the same as none. */
const AnyTopic = Type.String({
  pattern: '^[\\x21-\\x7E]{0,255}$',
  'x-rule': 'must be 1 to 255 visible ASCII characters',
  description: 'What kind of event it is. None, or an empty one, goes to every destination.',
})

/** The body of a publish (docs/api.md). */
const Body = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        ...EventId,
        description:
          'Makes it safe to publish again: a second event with this id, topic and data is not made. Default: a new id.',
      }),
    ),
    tenant_id: TenantId,
    topic: Type.Optional(AnyTopic),
    destination_id: Type.Optional(
      Type.String({
        ...DestinationId,
        description: 'Deliver to this destination only, whatever its topics; its filter holds.',
      }),
    ),
    eligible_for_retry: Type.Optional(
      Type.Boolean({ default: true, description: 'Failed deliveries are tried again.' }),
    ),
    time: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When it happened, in the years 1970 to 9999. Default: now.',
      }),
    ),
    metadata: Type.Optional(Metadata),
    data: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      description: 'What is delivered, byte for byte as it stands here.',
    }),
  },
  {
    title: 'PublishRequest',
    additionalProperties: false,
    examples: [
      {
        id: 'evt_order_1',
        tenant_id: 'acme',
        topic: 'order.created',
        metadata: { source: 'shop' },
        data: { order: 1, total: 99.5 },
      },
    ],
  },
)

/** @param topics - those that are configured; none: any topic, or none at all, may be published */
export function publishBody(topics: readonly string[]): typeof Body {
  if (topics.length === 0) return Body
  // The type is wider than the schema: it knows nothing of the topic being required.
  const schema: TSchema = {
    ...Body,
    properties: { ...Body.properties, topic: { type: 'string', enum: topics } },
    required: ['tenant_id', 'topic', 'data'],
    examples: [{ tenant_id: 'acme', topic: topics[0], data: { order: 1, total: 99.5 } }],
  }
  return schema as typeof Body
}

/**
 * Faults of a body that its schema cannot say.
 *
 * @throws {ApiError} payload_too_large, when `data` is
 */
export function publishFaults(
  body: unknown,
  rawBody: Buffer,
  maxDataBytes: number,
): readonly string[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  const { data, duplicates } = findMembers(rawBody)
  if (data !== null && data.end - data.start > maxDataBytes) {
    throw new ApiError(
      'payload_too_large',
      `data is larger than ${maxDataBytes} bytes (MAX_EVENT_DATA_BYTES)`,
    )
  }
  const faults = duplicates.map((key) => `${key} must be given once`)
  const { metadata, time } = body as { metadata?: unknown; time?: unknown }
  if (metadata !== undefined) faults.push(...metadataFaults('metadata', metadata))
  faults.push(...timeFaults('time', time))
  return faults
}

/** The bytes of `data` as they were sent: a view of the body, which the schema found to be there. */
export function dataBytes(rawBody: Buffer): Buffer {
  const { start, end }: ByteRange = findMembers(rawBody).data ?? { start: 0, end: 0 }
  return rawBody.subarray(start, end)
}

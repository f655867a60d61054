import { type Static, Type } from 'typebox'
import { attemptIdOf } from '@postrider/common'
import type { AttemptResponseView, AttemptView as StoredAttempt } from '@postrider/store'
import { DestinationView } from '../destinations/destination-view.ts'
import { eventText, IncludedEvent } from '../events/event-view.ts'
import { withMember } from '../http/json-members.ts'
import { Pagination } from '../http/pagination.ts'
import { nullable, PublicId, Time } from '../http/schemas.ts'
import type { Included } from './include.ts'

const ResponseData = Type.Object(
  {
    body: Type.String(),
    truncated: Type.Boolean({ description: 'The body was longer, and was cut.' }),
  },
  {
    title: 'ResponseData',
    description: 'What the receiver answered, with what else is kept, such as status and headers.',
  },
)

export const AttemptId = Type.String({
  description: 'The id of an attempt.',
  examples: ['att_019aa5f2c0a07c3e8b5d4f6a7b8c9d0e'],
})

/** An attempt in answers (docs/api.md). */
export const AttemptView = Type.Object(
  {
    id: AttemptId,
    tenant_id: PublicId,
    event_id: Type.String(),
    destination_id: PublicId,
    destination_type: Type.String(),
    attempt_number: Type.Integer({
      minimum: 1,
      description: 'Counts the attempts of this event to this destination.',
    }),
    status: Type.Enum(['success', 'failed']),
    time: Time,
    duration_ms: Type.Integer({ minimum: 0 }),
    code: Type.String({ description: 'The HTTP status, or a code that says what went wrong.' }),
    manual: Type.Boolean({ description: 'It was asked for by hand.' }),
    next_attempt_at: nullable(
      Type.String({ ...Time, description: 'When the next one is due; null: there is none.' }),
    ),
    response_data: Type.Optional(nullable(ResponseData)),
    event: Type.Optional(IncludedEvent),
    destination: Type.Optional(nullable(DestinationView)),
  },
  {
    title: 'Attempt',
    additionalProperties: false,
    examples: [
      {
        id: 'att_019aa5f2c0a07c3e8b5d4f6a7b8c9d0e',
        tenant_id: 'acme',
        event_id: 'evt_order_1',
        destination_id: 'des_orders',
        destination_type: 'webhook',
        attempt_number: 1,
        status: 'success',
        time: '2026-11-21T12:00:00.150Z',
        duration_ms: 42,
        code: '200',
        manual: false,
        next_attempt_at: null,
      },
    ],
  },
)

export const AttemptPage = Type.Object(
  { models: Type.Array(AttemptView), pagination: Pagination },
  { title: 'AttemptPage', additionalProperties: false },
)

/** What an answer shows beside the attempt itself. */
export interface Beside {
  readonly included: Included
  /** Null: it was deleted since. */
  readonly destination: Static<typeof DestinationView> | null
}

/** The JSON text of an attempt; an included event stands in it with its data as published. */
export function attemptText(attempt: StoredAttempt, { included, destination }: Beside): string {
  const text = JSON.stringify({
    ...members(attempt),
    ...(included.responseData ? { response_data: responseData(attempt.response) } : {}),
    ...(included.destination ? { destination } : {}),
  })
  return attempt.event === null ? text : withMember(text, 'event', eventText(attempt.event))
}

function members(attempt: StoredAttempt): Static<typeof AttemptView> {
  return {
    id: attemptIdOf(attempt.uid),
    tenant_id: attempt.tenantId,
    event_id: attempt.eventId,
    destination_id: attempt.destinationId,
    destination_type: attempt.destinationType,
    attempt_number: attempt.number,
    status: attempt.status,
    time: attempt.time.toISOString(),
    duration_ms: attempt.durationMs,
    code: attempt.code,
    manual: attempt.isManual,
    next_attempt_at: attempt.nextAttemptAt?.toISOString() ?? null,
  }
}

/** Bytes that are not UTF-8 are shown as U+FFFD. */
function responseData(response: AttemptResponseView | null): Static<typeof ResponseData> | null {
  if (response === null) return null
  const { head, body, isCut } = response
  return { ...head, body: body.toString('utf8'), truncated: isCut }
}

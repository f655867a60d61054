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
  { title: 'ResponseData', description: 'With what else is kept, such as status and headers.' },
)

/** An attempt in answers (API.md section 4). */
export const AttemptView = Type.Object(
  {
    id: Type.String(),
    tenant_id: PublicId,
    event_id: Type.String(),
    destination_id: PublicId,
    destination_type: Type.String(),
    attempt_number: Type.Integer({ minimum: 1 }),
    status: Type.Enum(['success', 'failed']),
    time: Time,
    duration_ms: Type.Integer({ minimum: 0 }),
    code: Type.String(),
    manual: Type.Boolean(),
    next_attempt_at: nullable(Time),
    response_data: Type.Optional(nullable(ResponseData)),
    event: Type.Optional(IncludedEvent),
    destination: Type.Optional(nullable(DestinationView)),
  },
  { title: 'Attempt', additionalProperties: false },
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

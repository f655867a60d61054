import { type RawBuilder, sql } from 'kysely'
import type { DeliveryStatus, EventStatus } from '@postrider/common'
import { inSpan, type Span } from './span.ts'

/**
 * The status of the event `alias` (its uid and received_at), from its deliveries: `failed` if any is
 * failed, else `pending` if any is, else `success` if one succeeded, else `skipped`; `unmatched`
 * without deliveries. Read by the key of deliveries; stored nowhere. One aggregate over ranks, because
 * it is asked of thousands of candidates: it takes a quarter less time than one for each status.
 *
 * @param span - where the event lies, if that is known
 */
export function eventStatus(alias: string, span: Span | null): RawBuilder<EventStatus> {
  return sql<EventStatus>`(
    select case max(
        case d.status when 'failed' then 4 when 'pending' then 3 when 'success' then 2 else 1 end)
      when 4 then 'failed' when 3 then 'pending' when 2 then 'success' when 1 then 'skipped'
      else 'unmatched'
    end
    from deliveries d
    where d.event_uid = ${sql.ref(`${alias}.uid`)} and d.received_at = ${sql.ref(`${alias}.received_at`)}
      and ${inSpan('d.received_at', span)})`
}

/** The status of what one destination got of the event `alias`; null: it has no delivery there. */
export function deliveryStatus(
  alias: string,
  destinationUid: string,
  span: Span | null,
): RawBuilder<DeliveryStatus | null> {
  return sql<DeliveryStatus | null>`(
    select d.status from deliveries d
    where d.event_uid = ${sql.ref(`${alias}.uid`)} and d.received_at = ${sql.ref(`${alias}.received_at`)}
      and d.destination_uid = ${destinationUid}::uuid and ${inSpan('d.received_at', span)})`
}

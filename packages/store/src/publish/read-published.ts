import { plainArray, textArray } from '../arrays.ts'
import { RAW_TYPES } from '../pools.ts'
import type { Store } from '../store.ts'

/** Names an event by the id that its caller chose. */
export interface PublishKey {
  readonly tenantUid: string
  readonly eventId: string
}

/** The publish that holds a key. */
export interface PublishedEvent extends PublishKey {
  readonly contentHash: Buffer
  readonly matchedDestinationIds: readonly string[]
}

/**
 * The committed publishes that hold these keys now. A key that nobody holds (any more) is left out:
 * its window may have ended since somebody was refused because of it.
 */
export async function readPublished(
  store: Store,
  keys: readonly PublishKey[],
): Promise<PublishedEvent[]> {
  const { rows } = await store.pools.publish.query<PublishedRow>({
    name: 'read-published',
    text: READ_PUBLISHED,
    types: RAW_TYPES,
    values: [
      plainArray(keys.map((key) => key.tenantUid)),
      textArray(keys.map((key) => key.eventId)),
    ],
  })
  return rows.map((row) => ({
    tenantUid: row.tenant_uid,
    eventId: row.event_id,
    contentHash: row.content_hash,
    matchedDestinationIds: row.matched_destination_ids,
  }))
}

interface PublishedRow {
  readonly tenant_uid: string
  readonly event_id: string
  readonly content_hash: Buffer
  readonly matched_destination_ids: readonly string[]
}

/** The event itself may be gone: a retention shorter than the window drops it before its key. */
const READ_PUBLISHED = `
  select
    k.tenant_uid, k.event_id, k.content_hash,
    to_json(coalesce(e.matched_destination_ids, '{}')) as matched_destination_ids
  from unnest($1::uuid[], $2::text[]) as asked (tenant_uid, event_id)
  join publish_keys k on k.tenant_uid = asked.tenant_uid and k.event_id = asked.event_id
  left join events e on e.uid = k.event_uid and e.received_at = k.received_at
  where k.expires_at > now()`

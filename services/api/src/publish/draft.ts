import { newEventId, newUid } from '@postrider/common'
import { type CompiledDestination, type CompiledRouting, findMatches } from './compiled-routing.ts'
import { contentHash } from './content-hash.ts'
import type { Publication } from './publication.ts'

/** A publish with everything that is known of it before Postgres has its say. */
export interface Draft {
  readonly publication: Publication
  readonly tenantUid: string
  readonly eventUid: string
  readonly eventId: string
  readonly timeMs: number
  /** Null: the id was made here, nobody else can come with it. */
  readonly contentHash: Buffer | null
  /** Null: it names a destination that does not exist. */
  readonly matches: readonly CompiledDestination[] | null
}

/** @param nowMs - by Postgres' clock; the time of events that were published without one */
export function draftOf(publication: Publication, routing: CompiledRouting, nowMs: number): Draft {
  const { id, topic, data } = publication
  const eventId = id ?? newEventId()
  const timeMs = publication.timeMs ?? nowMs
  return {
    publication,
    tenantUid: routing.tenantUid,
    eventUid: newUid(nowMs),
    eventId,
    timeMs,
    contentHash: id === null ? null : contentHash(topic, data),
    matches: findMatches(routing, publication, { id: eventId, timeMs }),
  }
}

/** What a caller's id is claimed by; equal for two drafts exactly when they are publishes of one id. */
export function keyOf(draft: { readonly tenantUid: string; readonly eventId: string }): string {
  return `${draft.tenantUid} ${draft.eventId}`
}

/** Drafts of which no two claim the same id, and those that came later with the id of one of them. */
export interface FoldedDrafts {
  readonly owners: readonly Draft[]
  readonly followers: ReadonlyMap<Draft, readonly Draft[]>
}

export function fold(drafts: readonly Draft[]): FoldedDrafts {
  const owners: Draft[] = []
  const byKey = new Map<string, Draft>()
  const followers = new Map<Draft, Draft[]>()
  for (const draft of drafts) {
    const owner = draft.contentHash === null ? undefined : byKey.get(keyOf(draft))
    if (owner === undefined) {
      owners.push(draft)
      if (draft.contentHash !== null) byKey.set(keyOf(draft), draft)
    } else {
      const before = followers.get(owner)
      if (before === undefined) followers.set(owner, [draft])
      else before.push(draft)
    }
  }
  return { owners, followers }
}

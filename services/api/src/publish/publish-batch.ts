import type { Log } from '@postrider/common'
import type { SharedState } from '@postrider/state'
import { reactionTo, readPublished, type Store } from '@postrider/store'
import { type Draft, draftOf, fold, keyOf } from './draft.ts'
import type { HandOver } from './hand-over.ts'
import { type EventFate, insertEvents } from './insert-events.ts'
import { firstJobs, type PlacedEvent, placeEvents } from './placement.ts'
import type { Publication, PublishAnswer } from './publication.ts'
import type { RoutingTable } from './routing-table.ts'

export interface BatchParts {
  readonly store: Store
  readonly state: SharedState
  readonly log: Log
  readonly routings: RoutingTable
  readonly handOver: HandOver
  readonly windowMs: number
  readonly leaseMs: number
}

type Answers = Map<Publication, PublishAnswer>

/** The publish that an id stands for. */
interface Holder {
  readonly contentHash: Buffer
  readonly destinationIds: readonly string[]
}

/**
 * Publishes a batch; answers for each publication, in order. Never rejects.
 *
 * @param publications - each an object of its own
 */
export async function publishBatch(
  parts: BatchParts,
  publications: readonly Publication[],
): Promise<PublishAnswer[]> {
  const answers: Answers = new Map()
  let open = publications
  while (open.length > 0) {
    try {
      await runRound(parts, open, answers)
    } catch (error) {
      for (const publication of open) {
        if (!answers.has(publication)) answers.set(publication, { kind: 'failed', error })
      }
    }
    // A round answers all but those that must be tried again by themselves: their id was free when its
    // holder was looked up, or the fellow that claimed it for them came to nothing.
    open = open.filter((publication) => !answers.has(publication))
  }
  return publications.map((publication) => answers.get(publication) as PublishAnswer) // none is open
}

async function runRound(
  parts: BatchParts,
  publications: readonly Publication[],
  answers: Answers,
): Promise<void> {
  const { owners, followers } = fold(await draftAll(parts, publications, answers))
  const placed = await placeEvents(
    owners.filter(({ matches }) => matches !== null),
    { ...parts, isOpen: parts.handOver.isOpen },
  )
  const fates = await insertEvents(
    parts.store,
    placed.map(({ event }) => event),
    parts,
  )
  settlePlaces(parts.handOver, placed, fates)
  const holders = answerFates(placed, fates, answers)
  const lost = owners.filter(({ publication }) => !answers.has(publication))
  for (const [draft, holder] of await findHolders(parts.store, lost)) holders.set(draft, holder)
  for (const draft of lost) answerLost(draft, holders.get(draft), answers)
  for (const [owner, others] of followers) {
    answerFollowers(others, holders.get(owner), answers.get(owner.publication), answers)
  }
}

/** Drafts of the publications whose tenant exists. */
async function draftAll(
  { routings }: BatchParts,
  publications: readonly Publication[],
  answers: Answers,
): Promise<Draft[]> {
  const tenantIds = new Set(publications.map(({ tenantId }) => tenantId))
  const { nowMs, byTenantId } = await routings.read([...tenantIds])
  const drafts: Draft[] = []
  for (const publication of publications) {
    const routing = byTenantId.get(publication.tenantId)
    if (routing === undefined) answers.set(publication, { kind: 'tenant-not-found' })
    else drafts.push(draftOf(publication, routing, nowMs))
  }
  return drafts
}

function settlePlaces(
  handOver: HandOver,
  placed: readonly PlacedEvent[],
  fates: readonly EventFate[],
): void {
  handOver.send(
    placed.flatMap((event, index) => {
      const fate = fates[index]
      return fate?.kind === 'inserted' ? firstJobs(event, fate.batch) : []
    }),
  )
  handOver.release(
    placed.flatMap(({ places }, index) => (fates[index]?.kind === 'inserted' ? [] : places)),
  )
}

/** Answers for what the insert decided; tells who holds the ids that were claimed by it. */
function answerFates(
  placed: readonly PlacedEvent[],
  fates: readonly EventFate[],
  answers: Answers,
): Map<Draft, Holder> {
  const holders = new Map<Draft, Holder>()
  for (const [index, { draft, event }] of placed.entries()) {
    const fate = fates[index]
    if (fate === undefined || fate.kind === 'taken') continue
    if (fate.kind === 'inserted') {
      const destinationIds = event.deliveries.map(({ destinationId }) => destinationId)
      answers.set(draft.publication, {
        kind: 'accepted',
        id: draft.eventId,
        isDuplicate: false,
        destinationIds,
      })
      if (draft.contentHash !== null) {
        holders.set(draft, { contentHash: draft.contentHash, destinationIds })
      }
    } else {
      answers.set(draft.publication, fate.kind === 'failed' ? fate : { kind: 'tenant-not-found' })
    }
  }
  return holders
}

/** The committed publishes that hold the ids of these drafts. */
async function findHolders(store: Store, lost: readonly Draft[]): Promise<Map<Draft, Holder>> {
  const holders = new Map<Draft, Holder>()
  const asked = lost.filter(({ contentHash }) => contentHash !== null)
  if (asked.length === 0) return holders
  const published = await readPublished(store, asked)
  const byKey = new Map(published.map((event) => [keyOf(event), event]))
  for (const draft of asked) {
    const event = byKey.get(keyOf(draft))
    if (event === undefined) continue
    const { contentHash, matchedDestinationIds } = event
    holders.set(draft, { contentHash, destinationIds: matchedDestinationIds })
  }
  return holders
}

/**
 * A publish that was repeated is answered like the first time, also when the destination that it names
 * is gone by now.
 */
function answerLost(draft: Draft, holder: Holder | undefined, answers: Answers): void {
  if (holder !== undefined) answers.set(draft.publication, compared(draft, holder))
  else if (draft.matches === null) {
    answers.set(draft.publication, { kind: 'destination-not-found' })
  }
}

function answerFollowers(
  followers: readonly Draft[],
  holder: Holder | undefined,
  ownerAnswer: PublishAnswer | undefined,
  answers: Answers,
): void {
  for (const draft of followers) {
    if (holder !== undefined) answers.set(draft.publication, compared(draft, holder))
    else if (ownerAnswer !== undefined && concernsAll(ownerAnswer)) {
      answers.set(draft.publication, ownerAnswer)
    }
  }
}

/** Whether the answer says nothing about the event itself, so that its fellows would get it too. */
function concernsAll(answer: PublishAnswer): boolean {
  if (answer.kind === 'failed') return reactionTo(answer.error) !== 'refused'
  return answer.kind === 'tenant-not-found'
}

function compared(draft: Draft, holder: Holder): PublishAnswer {
  if (draft.contentHash?.equals(holder.contentHash) !== true) return { kind: 'id-conflict' }
  return {
    kind: 'accepted',
    id: draft.eventId,
    isDuplicate: true,
    destinationIds: holder.destinationIds,
  }
}

import { newUid } from '@postrider/common'
import { compileRouting, type CompiledRouting } from './compiled-routing.ts'
import { type Draft, draftOf, fold } from './draft.ts'
import type { Publication } from './publication.ts'

const NOW_MS = Date.UTC(2026, 10, 21)

function routingOf(tenantUid: string): CompiledRouting {
  return compileRouting({ tenantUid, routingVersion: 1, destinations: [] })
}

const routing = routingOf(newUid())

function publicationOf(given: Partial<Publication>): Publication {
  return {
    tenantId: 'tenant',
    id: null,
    topic: '',
    destinationId: null,
    isEligibleForRetry: true,
    timeMs: null,
    metadata: {},
    data: Buffer.from('{}'),
    parsedData: {},
    ...given,
  }
}

function draft(given: Partial<Publication>, of: CompiledRouting = routing): Draft {
  return draftOf(publicationOf(given), of, NOW_MS)
}

describe('draftOf', () => {
  it('takes the id of the caller and a hash of what it stands for', () => {
    expect(draft({ id: 'order:1' })).toMatchObject({
      eventId: 'order:1',
      contentHash: expect.any(Buffer),
    })
  })

  it('makes an id that needs no hash, and takes the time of the read, when none are given', () => {
    expect(draft({})).toMatchObject({
      eventId: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      contentHash: null,
      timeMs: NOW_MS,
    })
  })
})

describe('fold', () => {
  it('lets the first of each id speak for those that come with it, in their order', () => {
    const [a1, b1, a2, a3] = ['a', 'b', 'a', 'a'].map((id) => draft({ id })) as Four

    expect(fold([a1, b1, a2, a3])).toEqual({
      owners: [a1, b1],
      followers: new Map([[a1, [a2, a3]]]),
    })
  })

  it('keeps apart what two tenants call by the same id, and what has ids of our own', () => {
    const drafts = [
      draft({ id: 'a' }),
      draft({ id: 'a' }, routingOf(newUid())),
      draft({}),
      draft({}),
    ]

    expect(fold(drafts)).toEqual({ owners: drafts, followers: new Map() })
  })
})

type Four = [Draft, Draft, Draft, Draft]

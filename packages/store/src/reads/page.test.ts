import { type Candidate, cutPage, type PageRequest } from './page.ts'

const FIRST: PageRequest = { limit: 2, dir: 'desc', from: null }

function candidate(uid: string, given: Partial<Candidate> = {}): Candidate {
  return {
    uid,
    received_at: '',
    time: '2026-11-21T00:00:00.000Z',
    matches: true,
    is_last: false,
    weight: 1,
    ...given,
  }
}

function uidsOf({ items }: { items: readonly Candidate[] }): string[] {
  return items.map(({ uid }) => uid)
}

describe('a page', () => {
  it('ends before the row that is one too many, and goes on beyond its own last row', () => {
    const page = cutPage([candidate('a'), candidate('b'), candidate('c')], FIRST)

    expect(uidsOf(page)).toEqual(['a', 'b'])
    expect(page.next).toEqual({ time: '2026-11-21T00:00:00.000Z', uid: 'b', inclusive: false })
    expect(page.prev).toBeNull()
  })

  it('is the last one when nothing is left and the budget was not spent', () => {
    expect(cutPage([candidate('a')], FIRST).next).toBeNull()
  })

  it('goes on where the budget ended, also when nothing matched', () => {
    const page = cutPage([candidate('z', { matches: false, is_last: true })], FIRST)

    expect(page.items).toEqual([])
    expect(page.next?.uid).toBe('z')
  })

  it('goes on behind its last row when the row that ended the budget is one too many', () => {
    const walked = [candidate('a'), candidate('b'), candidate('c', { is_last: true })]

    expect(cutPage(walked, FIRST).next?.uid).toBe('b')
  })

  it('holds no more than its weight, but always one row', () => {
    const walked = [candidate('a', { weight: 50 }), candidate('b', { weight: 1 })]

    const page = cutPage(walked, FIRST, 10)

    expect(uidsOf(page)).toEqual(['a'])
    expect(page.next?.uid).toBe('a')
  })

  it('is in the order of the list when the walk goes back', () => {
    const position = { time: '2026-11-20T00:00:00.000Z', uid: 'p', inclusive: false }
    const walked = [candidate('c'), candidate('b'), candidate('a')]

    const page = cutPage(walked, { ...FIRST, from: { walk: 'prev', position } })

    expect(uidsOf(page)).toEqual(['b', 'c'])
    expect(page.prev?.uid).toBe('b')
    expect(page.next?.uid).toBe('c')
  })

  it('leads back to the row it started behind when it found nothing', () => {
    const position = { time: '2026-11-20T00:00:00.000Z', uid: 'p', inclusive: false }

    const page = cutPage([], { ...FIRST, from: { walk: 'next', position } })

    expect(page.next).toBeNull()
    expect(page.prev).toEqual({ ...position, inclusive: true })
  })
})

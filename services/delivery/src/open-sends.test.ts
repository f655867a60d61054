import { OpenSends } from './open-sends.ts'

function openSends(): { sends: OpenSends<string>; passTime: (ms: number) => void } {
  let now = 1_000_000
  return {
    sends: new OpenSends({ limitMs: 100, nowMs: () => now }),
    passTime: (ms) => {
      now += ms
    },
  }
}

describe('sends under way', () => {
  it('tell how long they took', () => {
    const { sends, passTime } = openSends()
    sends.begin('a')
    passTime(70)
    expect(sends.end('a')).toBe(70)
  })

  it('are not overdue up to the limit, and are beyond it', () => {
    const { sends, passTime } = openSends()
    sends.begin('a')
    passTime(100)
    sends.takeOverdue()
    expect(sends.takeOverdue()).toEqual([])
    passTime(1)
    sends.takeOverdue()
    expect(sends.takeOverdue()).toEqual([{ owner: 'a', tookMs: 101 }])
  })

  it('may end after the process has paused', () => {
    const { sends, passTime } = openSends()
    sends.begin('a')
    passTime(50)
    sends.takeOverdue()
    passTime(10_000)
    expect(sends.takeOverdue()).toEqual([])
    expect(sends.end('a')).toBe(10_050)
  })

  it('are given up each for itself', () => {
    const { sends, passTime } = openSends()
    sends.begin('a')
    sends.begin('b')
    sends.begin('c')
    passTime(60)
    sends.begin('d')
    sends.end('b')
    passTime(60)
    sends.takeOverdue()
    expect(sends.takeOverdue().map(({ owner }) => owner)).toEqual(['a', 'c'])
    expect(sends.end('d')).toBe(60)
  })

  it('are given up once, and what they still come to is nobody’s', () => {
    const { sends, passTime } = openSends()
    sends.begin('a')
    passTime(101)
    sends.takeOverdue()
    expect(sends.takeOverdue()).toHaveLength(1)
    expect(sends.takeOverdue()).toEqual([])
    expect(sends.end('a')).toBeNull()
  })
})

import * as fc from 'fast-check'
import type { PublishFate } from '../job-queue.ts'
import { PublishBatch } from './publish-batch.ts'
import { PublishWindow } from './publish-window.ts'

function setUp() {
  const window = new PublishWindow()
  const ended: Record<string, readonly PublishFate[]> = {}
  const add = (name: string, count: number, deadlineMs = 1_000): PublishBatch => {
    const outgoing = { count, queueOf: () => '', bodyOf: () => Buffer.alloc(0) }
    const batch = new PublishBatch(outgoing, deadlineMs, (fates) => {
      ended[name] = fates
    })
    window.add(batch)
    return batch
  }
  /** Writes the next messages and answers their tags. */
  const write = (count: number): number[] => {
    const tags: number[] = []
    for (let i = 0; i < count; i++) {
      const batch = window.nextUnwritten()
      if (batch === undefined) break
      tags.push(window.nextTag)
      window.wrote(batch)
    }
    return tags
  }
  return { window, ended, add, write }
}

describe('PublishWindow', () => {
  it('writes batches in their order and gives each message the next tag', () => {
    const { add, write } = setUp()
    add('a', 2)
    add('b', 3)
    expect([write(3), write(9)]).toEqual([
      [1, 2, 3],
      [4, 5],
    ])
  })

  it('ends a batch with the fates of its messages in their order', () => {
    const { window, ended, add, write } = setUp()
    add('a', 3)
    write(3)
    window.settle(3, 'accepted')
    window.settle(1, 'refused')
    expect(ended).toEqual({})
    window.settle(2, 'accepted')
    expect(ended).toEqual({ a: ['refused', 'accepted', 'accepted'] })
    expect(window.oldest).toBeUndefined()
  })

  it('takes the first answer to a message: a return comes before its confirm', () => {
    const { window, ended, add, write } = setUp()
    add('a', 2)
    write(2)
    window.settle(1, 'refused')
    window.settleUpTo(2, 'accepted')
    expect(ended).toEqual({ a: ['refused', 'accepted'] })
  })

  it('settles up to a tag over several batches', () => {
    const { window, ended, add, write } = setUp()
    add('a', 2)
    add('b', 2)
    write(4)
    window.settleUpTo(3, 'accepted')
    window.settle(4, 'refused')
    expect(ended).toEqual({ a: ['accepted', 'accepted'], b: ['accepted', 'refused'] })
  })

  it('ends as unknown what was written, and as refused what was not', () => {
    const { window, ended, add, write } = setUp()
    add('a', 3)
    add('b', 1)
    write(2)
    window.settle(1, 'accepted')
    window.abandon()
    expect(ended).toEqual({ a: ['accepted', 'unknown', 'refused'], b: ['refused'] })
  })

  it('refuses what was not written and goes on with what comes later', () => {
    const { window, ended, add, write } = setUp()
    add('a', 2)
    add('b', 2)
    write(1)
    window.refuseUnwritten()
    expect(ended).toEqual({ b: ['refused', 'refused'] })
    add('c', 1)
    expect(write(2)).toEqual([2])
    window.settle(2, 'accepted')
    window.settleUpTo(1, 'accepted')
    expect(ended).toEqual({
      a: ['accepted', 'refused'],
      b: ['refused', 'refused'],
      c: ['accepted'],
    })
  })

  it('ends batches at their deadlines and passes over answers that come later', () => {
    const { window, ended, add, write } = setUp()
    add('a', 1, 1_000)
    add('b', 1, 1_001)
    write(2)
    expect(window.expire(999)).toBe(0)
    expect(window.expire(1_000)).toBe(1)
    window.settle(1, 'accepted')
    window.settle(2, 'accepted')
    expect(ended).toEqual({ a: ['unknown'], b: ['accepted'] })
  })

  it('gives every message one fate, the first that was told', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), n: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ kind: fc.constant('write' as const), n: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ kind: fc.constant('settle' as const), n: fc.integer({ min: 1, max: 20 }) }),
      fc.record({ kind: fc.constant('settleUpTo' as const), n: fc.integer({ min: 1, max: 20 }) }),
      fc.record({ kind: fc.constant('refuseUnwritten' as const), n: fc.constant(0) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { window, ended, add, write } = setUp()
        // The model: every message by name, and by its tag.
        const fates = new Map<string, PublishFate | null>()
        const waiting: string[] = []
        const byTag: string[] = []
        let batches = 0
        const tell = (message: string | undefined, fate: PublishFate): void => {
          if (message !== undefined && !fates.get(message)) fates.set(message, fate)
        }
        for (const { kind, n } of steps) {
          if (kind === 'add') {
            add(`${batches}`, n)
            for (let i = 0; i < n; i++) waiting.push(`${batches}.${i}`)
            for (const message of waiting.slice(-n)) fates.set(message, null)
            batches++
          } else if (kind === 'write') {
            for (const tag of write(n)) byTag[tag] = waiting.shift() ?? 'none is waiting'
          } else if (kind === 'settle') {
            window.settle(n, 'accepted')
            tell(byTag[n], 'accepted')
          } else if (kind === 'settleUpTo') {
            window.settleUpTo(n, 'refused')
            for (const message of byTag.slice(0, n + 1)) tell(message, 'refused')
          } else {
            window.refuseUnwritten()
            for (const message of waiting.splice(0)) tell(message, 'refused')
          }
        }
        window.abandon()
        for (const message of byTag) tell(message, 'unknown')
        for (const message of waiting) tell(message, 'refused')
        const told = Object.entries(ended).flatMap(([batch, given]) =>
          given.map((fate, index) => [`${batch}.${index}`, fate] as const),
        )
        expect(new Map(told)).toEqual(new Map(fates))
      }),
      { numRuns: 500 },
    )
  })
})

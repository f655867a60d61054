import * as fc from 'fast-check'
import { type Expiring, ExpiryHeap } from './expiry-heap.ts'

interface Entry extends Expiring {
  readonly name: number
}

describe('ExpiryHeap', () => {
  it('gives what has ended, earliest first, and nothing that was removed', () => {
    const operations = fc.array(fc.record({ endsAtMs: fc.nat(50), removes: fc.boolean() }))
    fc.assert(
      fc.property(operations, fc.nat(50), (steps, nowMs) => {
        const heap = new ExpiryHeap<Entry>()
        const entries = steps.map(({ endsAtMs }, name) => ({
          name,
          expiresAtMs: endsAtMs,
          heapIndex: 0,
        }))
        for (const entry of entries) heap.push(entry)
        const kept = entries.filter((entry, index) => {
          if (steps[index]?.removes) heap.remove(entry)
          return !steps[index]?.removes
        })

        const ended: Entry[] = []
        for (let next = heap.popEnded(nowMs); next; next = heap.popEnded(nowMs)) ended.push(next)

        const times = ended.map(({ expiresAtMs }) => expiresAtMs)
        expect(times).toEqual(times.toSorted((a, b) => a - b))
        const expected = kept.filter(({ expiresAtMs }) => expiresAtMs <= nowMs)
        expect(new Set(ended)).toEqual(new Set(expected))
      }),
    )
  })
})

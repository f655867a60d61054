import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import type { QueueName } from '@postrider/common'
import { Gate, type GateJob } from './gate.ts'

const MAX_IN_FLIGHT = 4
const DESTINATIONS = ['1', '2', '3', '4'] as const

describe('the counts of the gate', () => {
  it('stay true whatever happens in whatever order', () => {
    fc.assert(
      fc.property(fc.array(step(), { maxLength: 300 }), (steps) => {
        new Model().run(steps)
      }),
      { numRuns: 300 },
    )
  })
})

type Step =
  | { readonly kind: 'arrive'; readonly job: GateJob }
  | { readonly kind: 'end'; readonly pick: number; readonly tookMs: number | null }
  | { readonly kind: 'finish' | 'withdraw'; readonly pick: number }
  | { readonly kind: 'stop' | 'sweep' }
  | { readonly kind: 'pass'; readonly ms: number }

function step(): fc.Arbitrary<Step> {
  const pick = fc.nat(1000)
  const arrivals = fc
    .record({
      tenantUid: fc.constantFrom('a', 'b', 'c'),
      destinationUid: fc.constantFrom(...DESTINATIONS),
      queue: fc.constantFrom<QueueName>('fresh', 'retry'),
    })
    .map((arriving): Step => ({ kind: 'arrive', job: arriving }))
  const tookMs = fc.constantFrom(null, 10, 5000)
  return fc.oneof(
    { weight: 6, arbitrary: arrivals },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), pick, tookMs }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('finish' as const), pick }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), pick }) },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'sweep' }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(40_000) }),
    },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'stop' }) },
  )
}

/** What the jobs of a gate are known to be; every step is done to both and compared. */
class Model {
  #now = 1_000_000
  readonly #gate = new Gate<GateJob>({
    prefetch: { fresh: 40, retry: 16 },
    destinationMaxInFlight: MAX_IN_FLIGHT,
    nowMs: () => this.#now,
  })
  readonly #waiting = new Set<GateJob>()
  readonly #sending = new Set<GateJob>()
  /** Deferred, withdrawn, or sent: to be finished. */
  readonly #over = new Set<GateJob>()
  readonly #toldToGo = new Set<GateJob>()

  run(steps: readonly Step[]): void {
    for (const each of steps) {
      this.#do(each)
      this.#check()
    }
    for (const each of this.#gate.takeWaiting()) this.#leaveQueue(each)
    assert.equal(this.#waiting.size, 0)
    for (const each of this.#sending) this.#end(each, null)
    for (const each of this.#over) this.#gate.finish(each)
    assert.equal(this.#gate.held, 0)
    // Nothing is left over: a new start finds the whole of every destination's bound.
    for (const destinationUid of DESTINATIONS) {
      const admissions = Array.from({ length: MAX_IN_FLIGHT + 1 }, () =>
        this.#gate.arrive({ tenantUid: 'a', destinationUid, queue: 'fresh' }),
      )
      assert.deepEqual(admissions, ['go', 'go', 'go', 'go', 'wait'])
    }
  }

  #do(given: Step): void {
    const gate = this.#gate
    switch (given.kind) {
      case 'arrive':
        return this.#arrive({ ...given.job })
      case 'end': {
        const ended = nth(this.#sending, given.pick)
        return ended === undefined ? undefined : this.#end(ended, given.tookMs)
      }
      case 'finish': {
        const finished = nth(this.#over, given.pick)
        if (finished === undefined) return
        this.#over.delete(finished)
        return gate.finish(finished)
      }
      case 'withdraw': {
        const withdrawn = nth(this.#waiting, given.pick)
        if (withdrawn === undefined) return
        gate.withdraw(withdrawn)
        return this.#leaveQueue(withdrawn)
      }
      case 'stop':
        for (const each of gate.takeWaiting()) this.#leaveQueue(each)
        return
      case 'sweep':
        return gate.sweep()
      case 'pass':
        this.#now += given.ms
        return
    }
  }

  #arrive(arriving: GateJob): void {
    switch (this.#gate.arrive(arriving)) {
      case 'go':
        return this.#go(arriving)
      case 'wait':
        return void this.#waiting.add(arriving)
      case 'defer':
        return void this.#over.add(arriving)
    }
  }

  #end(ended: GateJob, tookMs: number | null): void {
    this.#sending.delete(ended)
    this.#over.add(ended)
    const next = this.#gate.sendEnded(ended, tookMs)
    if (next === null) {
      // Nobody of that destination waits.
      assert.deepEqual(
        [...this.#waiting].filter((each) => isOfOne(each, ended)),
        [],
      )
      return
    }
    assert.ok(isOfOne(next, ended))
    assert.ok(this.#waiting.delete(next))
    this.#go(next)
  }

  #go(going: GateJob): void {
    assert.ok(!this.#toldToGo.has(going))
    this.#toldToGo.add(going)
    this.#sending.add(going)
  }

  #leaveQueue(left: GateJob): void {
    assert.ok(this.#waiting.delete(left))
    this.#over.add(left)
  }

  #check(): void {
    const held = this.#waiting.size + this.#sending.size + this.#over.size
    assert.equal(this.#gate.held, held)
    for (const destinationUid of DESTINATIONS) {
      const sending = [...this.#sending].filter((each) => each.destinationUid === destinationUid)
      assert.ok(sending.length <= MAX_IN_FLIGHT)
    }
  }
}

function isOfOne(a: GateJob, b: GateJob): boolean {
  return a.destinationUid === b.destinationUid
}

function nth(jobs: ReadonlySet<GateJob>, pick: number): GateJob | undefined {
  return jobs.size === 0 ? undefined : [...jobs][pick % jobs.size]
}

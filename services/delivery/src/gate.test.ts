import type { QueueName } from '@postrider/common'
import { Gate, type GateJob } from './gate.ts'

/** A part of 40 for fresh jobs, of 16 for retries; 4 sends in flight for each destination. */
const PREFETCH = { fresh: 40, retry: 16 }
const MAX_IN_FLIGHT = 4
/** An eighth of the fresh part. */
const TENANT_SHARE = 5
const PRESSED = 30

function openGate(): { gate: Gate<GateJob>; passTime: (ms: number) => void } {
  let now = 1_000_000
  return {
    gate: new Gate({ prefetch: PREFETCH, destinationMaxInFlight: MAX_IN_FLIGHT, nowMs: () => now }),
    passTime: (ms) => {
      now += ms
    },
  }
}

function job(tenantUid: string, destinationUid: string, queue: QueueName = 'fresh'): GateJob {
  return { tenantUid, destinationUid, queue }
}

/** That many jobs of tenants and destinations that nobody else has. */
function fill(gate: Gate<GateJob>, count: number, queue: QueueName = 'fresh'): GateJob[] {
  const jobs = Array.from({ length: count }, (_, i) => job(`filler ${i}`, `filler ${i}`, queue))
  for (const each of jobs) gate.arrive(each)
  return jobs
}

function arriveAll(gate: Gate<GateJob>, jobs: readonly GateJob[]): string[] {
  return jobs.map((each) => gate.arrive(each))
}

/** Makes a destination slow and finishes the job that showed it. */
function makeSlow(gate: Gate<GateJob>, destinationUid: string, tookMs = 1001): void {
  const slow = job(`tenant of ${destinationUid}`, destinationUid)
  gate.arrive(slow)
  gate.sendEnded(slow, tookMs)
  gate.finish(slow)
}

/** A part that is nearly full, half of it with jobs of slow destinations. */
function halfSlow(tookMs = 1001): ReturnType<typeof openGate> {
  const opened = openGate()
  const { gate } = opened
  for (let i = 0; i < 20; i++) makeSlow(gate, `slow ${i}`, tookMs)
  arriveAll(
    gate,
    times(20, (i) => job(`tenant of slow ${i}`, `slow ${i}`)),
  )
  fill(gate, PRESSED - 20)
  return opened
}

function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i))
}

describe('the gate', () => {
  describe('sends in flight', () => {
    it('sends to a destination up to its bound and lets the others wait', () => {
      const { gate } = openGate()
      const admissions = arriveAll(
        gate,
        times(6, () => job('t', 'd')),
      )
      expect(admissions).toEqual(['go', 'go', 'go', 'go', 'wait', 'wait'])
    })

    it('counts both queues of a destination together', () => {
      const { gate } = openGate()
      arriveAll(
        gate,
        times(MAX_IN_FLIGHT, () => job('t', 'd', 'retry')),
      )
      expect(gate.arrive(job('t', 'd', 'fresh'))).toBe('wait')
    })

    it('lets no destination wait for another', () => {
      const { gate } = openGate()
      arriveAll(
        gate,
        times(6, () => job('t', 'slow')),
      )
      expect(gate.arrive(job('t', 'other'))).toBe('go')
    })

    it('hands out the job that has waited longest when a send ends', () => {
      const { gate } = openGate()
      const sending = times(MAX_IN_FLIGHT, () => job('t', 'd'))
      const waiting = times(2, (i) => job(`t${i}`, 'd'))
      arriveAll(gate, [...sending, ...waiting])
      const next = sending.map((each) => gate.sendEnded(each, 10))
      expect(next).toEqual([...waiting, null, null])
    })

    it('never hands out a job that was withdrawn', () => {
      const { gate } = openGate()
      const sending = times(MAX_IN_FLIGHT, () => job('t', 'd'))
      const [first, second] = [job('first', 'd'), job('second', 'd')]
      arriveAll(gate, [...sending, first, second])
      gate.withdraw(first)
      expect(sending.map((each) => gate.sendEnded(each, null))).toEqual([second, null, null, null])
    })

    it('gives up all that wait when it is stopped, and hands out none of them', () => {
      const { gate } = openGate()
      const sending = times(MAX_IN_FLIGHT, () => job('t', 'd'))
      const waiting = times(3, () => job('t', 'd'))
      arriveAll(gate, [...sending, ...waiting])
      expect(gate.takeWaiting()).toEqual(waiting)
      expect(sending.map((each) => gate.sendEnded(each, null))).toEqual(times(4, () => null))
      for (const each of [...sending, ...waiting]) gate.finish(each)
      expect(gate.held).toBe(0)
    })
  })

  describe('a destination’s own queue', () => {
    it('grows as long as nobody else may be waiting', () => {
      const { gate } = openGate()
      const admissions = arriveAll(
        gate,
        times(PRESSED, () => job('t', 'd')),
      )
      expect(admissions.filter((each) => each === 'wait')).toHaveLength(PRESSED - MAX_IN_FLIGHT)
    })

    it('is bounded by twice its sends in flight under pressure', () => {
      const { gate } = openGate()
      arriveAll(
        gate,
        times(3 * MAX_IN_FLIGHT, () => job('t', 'd')),
      )
      fill(gate, PRESSED - 3 * MAX_IN_FLIGHT - 1)
      // A tenant of its own, so that no share but that of the destination's queue is in question.
      expect(gate.arrive(job('u', 'd'))).toBe('wait')
      expect(gate.arrive(job('v', 'd'))).toBe('defer')
    })
  })

  describe('a tenant’s share', () => {
    it('ends at an eighth of the part while others were seen and the part is nearly full', () => {
      const { gate } = openGate()
      fill(gate, PRESSED)
      const admissions = arriveAll(
        gate,
        times(TENANT_SHARE + 2, (i) => job('t', `d${i}`)),
      )
      expect(admissions).toEqual([...times(TENANT_SHARE, () => 'go'), 'defer', 'defer'])
    })

    it('does not bind before the part is nearly full', () => {
      const { gate } = openGate()
      fill(gate, 2)
      const admissions = arriveAll(
        gate,
        times(PRESSED - 2, (i) => job('t', `d${i}`)),
      )
      expect(admissions).not.toContain('defer')
    })

    it('does not bind a tenant that is alone', () => {
      const { gate } = openGate()
      const admissions = arriveAll(
        gate,
        times(PREFETCH.fresh, (i) => job('t', `d${i}`)),
      )
      expect(admissions).not.toContain('defer')
    })

    it('binds for 5 s after another tenant was last seen', () => {
      const { gate, passTime } = openGate()
      const other = job('other', 'other')
      gate.arrive(other)
      gate.finish(other)
      arriveAll(
        gate,
        times(PRESSED, (i) => job('t', `d${i}`)),
      )
      passTime(5000)
      expect(gate.arrive(job('t', 'next'))).toBe('defer')
      passTime(1)
      expect(gate.arrive(job('t', 'last'))).toBe('go')
    })

    it('binds as long as another tenant holds anything, however long ago it came', () => {
      const { gate, passTime } = openGate()
      gate.arrive(job('other', 'other'))
      arriveAll(
        gate,
        times(PRESSED, (i) => job('t', `d${i}`)),
      )
      passTime(60_000)
      gate.sweep()
      expect(gate.arrive(job('t', 'next'))).toBe('defer')
    })

    it('is counted in each queue by itself', () => {
      const { gate } = openGate()
      fill(gate, PRESSED)
      arriveAll(
        gate,
        times(TENANT_SHARE, (i) => job('t', `d${i}`)),
      )
      expect(gate.arrive(job('t', 'd', 'fresh'))).toBe('defer')
      expect(gate.arrive(job('t', 'd', 'retry'))).toBe('go')
    })

    // With one count for both queues neither of them could ever fill the window far enough.
    it.each(['fresh', 'retry'] as const)(
      'binds when the %s queue alone fills its part',
      (queue) => {
        const { gate } = openGate()
        gate.arrive(job('other', 'other', queue))
        const admissions = arriveAll(
          gate,
          times(PREFETCH[queue] - 1, (i) => job('t', `d${i}`, queue)),
        )
        expect(admissions).toContain('defer')
      },
    )
  })

  describe('slow destinations', () => {
    it('hold no more than half of the part together under pressure', () => {
      const { gate } = halfSlow()
      expect(gate.arrive(job('another', 'slow 3'))).toBe('defer')
      expect(gate.arrive(job('another', 'quick'))).toBe('go')
    })

    it('are those that took more than a second', () => {
      const { gate } = halfSlow(1000)
      expect(gate.arrive(job('another', 'slow 3'))).toBe('go')
    })

    it('are slow for 30 s', () => {
      const { gate, passTime } = halfSlow()
      passTime(29_999)
      expect(gate.arrive(job('another', 'slow 3'))).toBe('defer')
      passTime(1)
      expect(gate.arrive(job('another', 'slow 4'))).toBe('go')
    })

    it('make room for each other as their jobs are finished', () => {
      const { gate } = halfSlow()
      gate.finish(job('tenant of slow 0', 'slow 0'))
      gate.arrive(job('replacement', 'replacement'))
      expect(gate.arrive(job('another', 'slow 3'))).toBe('go')
    })

    it('count with the jobs that they already held when they became slow', () => {
      const { gate } = openGate()
      const held = times(20, (i) => job(`t${i}`, `d${i}`))
      arriveAll(gate, held)
      for (const each of held) gate.sendEnded(each, 5000)
      fill(gate, PRESSED - 20)
      expect(gate.arrive(job('another', 'd0'))).toBe('defer')
    })

    it('take nothing from the part of the other queue', () => {
      const { gate } = halfSlow()
      expect(gate.arrive(job('another', 'slow 3', 'retry'))).toBe('go')
    })
  })

  it('forgets tenants and destinations that are gone, and no count with them', () => {
    const { gate, passTime } = openGate()
    const jobs = fill(gate, 10)
    for (const each of jobs) gate.sendEnded(each, 2000)
    for (const each of jobs.slice(1)) gate.finish(each)
    passTime(60_000)
    gate.sweep()
    expect(gate.held).toBe(1)
    gate.finish(job('filler 0', 'filler 0'))
    expect(gate.held).toBe(0)
  })
})

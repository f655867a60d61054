import { type JobOutcome, type Log, newUid } from '@postrider/common'
import type { WrittenOutcome } from '@postrider/store'
import { createHold, silentLog, waitFor } from '@postrider/testkit'
import { OutcomeWriter, type PendingOutcome } from './outcome-writer.ts'

const refused = Object.assign(new Error('invalid input syntax'), { code: '22P02' })
const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' })

function attempted(eventUid = newUid()): PendingOutcome<string> {
  return {
    owner: eventUid,
    outcome: {
      eventUid,
      destinationUid: 'destination',
      receivedAt: '2026-11-21 12:00:00+00',
      dispatch: 1,
      tenantUid: 'tenant',
      manual: false,
      outcome: {
        kind: 'attempted',
        attempt: {
          uid: newUid(),
          status: 'failed',
          code: '500',
          timeMs: 0,
          durationMs: 12,
          response: { head: { status: 500 }, body: Buffer.from('oh'), cut: false },
        },
        retryAfterMs: null,
        disableVersion: null,
      },
    },
  }
}

function deferred(): PendingOutcome<string> {
  const { owner, outcome } = attempted()
  return { owner, outcome: { ...outcome, outcome: { kind: 'deferred', delayMs: 1000 } } }
}

function hasResponse({ outcome }: JobOutcome): boolean {
  return outcome.kind !== 'deferred' && outcome.attempt.response !== null
}

/** A Postgres for outcomes: records the batches that it is given, and answers as a test says. */
class Desk {
  readonly batches: (readonly JobOutcome[])[] = []
  readonly written: string[] = []
  readonly unwritable: string[] = []
  readonly errors: string[] = []
  readonly givenUp = new AbortController()
  /** Called before a batch is taken; throws what Postgres would. */
  judge: (batch: readonly JobOutcome[]) => Promise<void> | void = () => undefined

  open(): OutcomeWriter<string> {
    const log: Log = { ...silentLog, error: (message) => void this.errors.push(message) }
    return new OutcomeWriter<string>({
      write: async (batch) => {
        this.batches.push(batch)
        await this.judge(batch)
        return batch.map((): WrittenOutcome => ({ next: null, attemptNumber: 1 }))
      },
      onWritten: (batch, written) => {
        if (written.length !== batch.length) throw new Error('one answer for each outcome')
        this.written.push(...batch.map(({ owner }) => owner))
      },
      onUnwritable: ({ owner }) => void this.unwritable.push(owner),
      log,
      signal: this.givenUp.signal,
    })
  }

  async waitForWritten(count: number): Promise<void> {
    await waitFor(() => this.written.length >= count, { what: `${count} written outcomes` })
  }
}

describe('the outcome writer', () => {
  let desk: Desk
  let writer: OutcomeWriter<string>

  beforeEach(() => {
    desk = new Desk()
    writer = desk.open()
  })

  it('gathers what comes together into one batch', async () => {
    const pending = Array.from({ length: 20 }, () => attempted())
    for (const each of pending) writer.add(each)
    await desk.waitForWritten(20)
    expect(desk.batches.map((batch) => batch.length)).toEqual([20])
    expect(desk.written).toEqual(pending.map(({ owner }) => owner))
  })

  it('writes 500 outcomes at most in one batch', async () => {
    for (let i = 0; i < 1201; i++) writer.add(attempted())
    await desk.waitForWritten(1201)
    expect(desk.batches.map((batch) => batch.length)).toEqual([500, 500, 201])
  })

  it('has two batches under way, and gathers the next while they are', async () => {
    const hold = createHold()
    desk.judge = () => hold.released
    const add = async (count: number): Promise<void> => {
      writer.add(attempted())
      await waitFor(() => desk.batches.length === count, { what: 'a batch' })
    }
    await add(1)
    await add(2)
    for (let i = 0; i < 10; i++) writer.add(attempted())
    await new Promise((resolve) => {
      setImmediate(() => setImmediate(resolve))
    })
    expect(desk.batches).toHaveLength(2)
    hold.release()
    await desk.waitForWritten(12)
    expect(desk.batches.map((batch) => batch.length)).toEqual([1, 1, 10])
  })

  it('puts two outcomes of one delivery into two batches, in their order', async () => {
    const [first, second, third] = [attempted('same'), attempted('same'), attempted('same')]
    for (const each of [first, attempted(), second, attempted(), third]) writer.add(each)
    await desk.waitForWritten(5)
    for (const batch of desk.batches) {
      expect(new Set(batch.map(({ eventUid }) => eventUid)).size).toBe(batch.length)
    }
    const written = desk.batches.flat().filter(({ eventUid }) => eventUid === 'same')
    expect(written).toEqual([first.outcome, second.outcome, third.outcome])
  })

  it('says that a batch is written only after it is', async () => {
    const hold = createHold()
    desk.judge = () => hold.released
    writer.add(attempted())
    await waitFor(() => desk.batches.length === 1, { what: 'the batch' })
    expect(desk.written).toEqual([])
    hold.release()
    await desk.waitForWritten(1)
  })

  describe.each([
    ['away', away],
    ['in a deadlock', deadlock],
  ])('while Postgres is %s', (_, error) => {
    it('runs the same batch again until it is written', async () => {
      let tries = 0
      desk.judge = () => {
        if (++tries < 3) throw error
      }
      const pending = [attempted(), attempted(), attempted()]
      for (const each of pending) writer.add(each)
      await desk.waitForWritten(3)
      const expected = pending.map(({ outcome }) => outcome)
      expect(desk.batches).toEqual([expected, expected, expected])
      expect(desk.unwritable).toEqual([])
    })

    it('reports what is left when it is to give up', async () => {
      desk.judge = () => {
        throw error
      }
      const pending = [attempted(), attempted()]
      for (const each of pending) writer.add(each)
      await waitFor(() => desk.batches.length > 0, { what: 'a try' })
      expect(desk.unwritable).toEqual([])
      desk.givenUp.abort(new Error('stopped'))
      await waitFor(() => desk.unwritable.length === 2, { what: 'the report' })
      expect(desk.unwritable).toEqual(pending.map(({ owner }) => owner))
      expect(desk.written).toEqual([])
    })
  })

  describe('when Postgres refuses a batch', () => {
    it('halves it until the guilty outcome stands alone, and writes that without its response', async () => {
      const pending = Array.from({ length: 100 }, () => attempted())
      const guilty = pending[63]?.owner
      desk.judge = (batch) => {
        if (batch.some((each) => each.eventUid === guilty && hasResponse(each))) throw refused
      }
      for (const each of pending) writer.add(each)
      await desk.waitForWritten(100)
      expect(new Set(desk.written)).toEqual(new Set(pending.map(({ owner }) => owner)))
      expect(desk.written).toHaveLength(100)
      expect(desk.unwritable).toEqual([])
      expect(desk.errors).toEqual(['an outcome was refused; writing it without its response'])
      const bare = desk.batches.flat().filter((each) => !hasResponse(each))
      expect(bare).toMatchObject([{ eventUid: guilty, outcome: { attempt: { code: '500' } } }])
      // A try for each level of the halving, for each half, and the one without the response.
      expect(desk.batches.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(100)) + 2)
    })

    it('reports an outcome that is refused even without its response, and writes the others', async () => {
      const pending = Array.from({ length: 9 }, () => attempted())
      const guilty = pending[4]?.owner
      desk.judge = (batch) => {
        if (batch.some(({ eventUid }) => eventUid === guilty)) throw refused
      }
      for (const each of pending) writer.add(each)
      await desk.waitForWritten(8)
      expect(desk.unwritable).toEqual([guilty])
      expect(desk.written).not.toContain(guilty)
    })

    it('reports an outcome that has no response to leave out', async () => {
      desk.judge = () => {
        throw refused
      }
      const pending = deferred()
      writer.add(pending)
      await waitFor(() => desk.unwritable.length === 1, { what: 'the report' })
      expect(desk.unwritable).toEqual([pending.owner])
      expect(desk.batches).toHaveLength(1)
    })

    it('is patient with the halves, too', async () => {
      const answers = [refused, away, undefined, deadlock, undefined]
      desk.judge = () => {
        const answer = answers.shift()
        if (answer !== undefined) throw answer
      }
      writer.add(attempted())
      writer.add(attempted())
      await desk.waitForWritten(2)
      expect(desk.batches.map((batch) => batch.length)).toEqual([2, 1, 1, 1, 1])
    })

    it('goes on with the outcomes that came meanwhile', async () => {
      let isFirst = true
      desk.judge = () => {
        if (!isFirst) return
        isFirst = false
        throw refused
      }
      writer.add(deferred())
      await waitFor(() => desk.unwritable.length === 1, { what: 'the report' })
      const later = attempted()
      writer.add(later)
      await desk.waitForWritten(1)
      expect(desk.written).toEqual([later.owner])
    })
  })
})

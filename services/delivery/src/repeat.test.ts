import type { Log, LogFields } from '@postrider/common'
import { createHold, silentLog, waitFor } from '@postrider/testkit'
import { repeat } from './repeat.ts'

describe('a repeated round', () => {
  it('runs at once and again and again, until it is stopped', async () => {
    let rounds = 0
    const repeated = repeat('counting', 1, async () => void rounds++, silentLog)
    expect(rounds).toBe(1)
    await waitFor(() => rounds >= 4, { what: 'four rounds' })
    await repeated.stop()
    const before = rounds
    await repeated.stop()
    expect(rounds).toBe(before)
  })

  it('is never under way twice', async () => {
    let running = 0
    let rounds = 0
    const overlaps: number[] = []
    const repeated = repeat(
      'overlapping',
      0,
      async () => {
        overlaps.push(++running)
        await new Promise((resolve) => {
          setImmediate(resolve)
        })
        running--
        rounds++
      },
      silentLog,
    )
    await waitFor(() => rounds >= 10, { what: 'ten rounds' })
    await repeated.stop()
    expect(new Set(overlaps)).toEqual(new Set([1]))
  })

  it('goes on after a round that failed, and says which', async () => {
    const lines: (LogFields | undefined)[] = []
    const log: Log = { ...silentLog, warn: (_, fields) => void lines.push(fields) }
    const error = new Error('away')
    let rounds = 0
    const repeated = repeat(
      'failing',
      1,
      async () => {
        if (++rounds === 1) throw error
      },
      log,
    )
    await waitFor(() => rounds >= 3, { what: 'three rounds' })
    await repeated.stop()
    expect(lines).toEqual([{ what: 'failing', error }])
  })

  it('waits at its stop for the round under way, and for no pause', async () => {
    const hold = createHold()
    let ended = false
    const repeated = repeat(
      'slow',
      60_000,
      async () => {
        await hold.released
        ended = true
      },
      silentLog,
    )
    const stopped = repeated.stop()
    hold.release()
    await stopped
    expect(ended).toBe(true)

    const pausing = repeat('pausing', 60_000, () => Promise.resolve(), silentLog)
    await pausing.stop()
  })
})

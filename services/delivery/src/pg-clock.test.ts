import { setTimeout as delay } from 'node:timers/promises'
import { PgClock } from './pg-clock.ts'

const HOUR = 3_600_000

describe('the clock of Postgres', () => {
  it('is told by this process once it has been set', async () => {
    const clock = new PgClock(async () => Date.now() + HOUR)
    expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(1000)
    await clock.sync()
    expect(Math.abs(clock.nowMs() - Date.now() - HOUR)).toBeLessThan(50)
    expect(Number.isInteger(clock.nowMs())).toBe(true)
  })

  it('is set anew by each sync', async () => {
    let aheadMs = HOUR
    const clock = new PgClock(async () => Date.now() + aheadMs)
    await clock.sync()
    aheadMs = -HOUR
    await clock.sync()
    expect(Math.abs(clock.nowMs() - Date.now() + HOUR)).toBeLessThan(50)
  })

  it('is set by the answer that came fastest', async () => {
    let asked = 0
    const clock = new PgClock(async () => {
      // Three slow answers that were read long before they arrive, and a quick one.
      const theirs = Date.now() + HOUR
      if (++asked !== 3) await delay(200)
      return theirs
    })
    await clock.sync()
    expect(asked).toBe(4)
    expect(Math.abs(clock.nowMs() - Date.now() - HOUR)).toBeLessThan(50)
  })

  it('takes a slow answer for one that was read half way', async () => {
    const clock = new PgClock(async () => {
      await delay(100)
      const theirs = Date.now() + HOUR
      await delay(100)
      return theirs
    })
    await clock.sync()
    expect(Math.abs(clock.nowMs() - Date.now() - HOUR)).toBeLessThan(80)
  })

  it('stays as it was when Postgres is away', async () => {
    let isAway = false
    const clock = new PgClock(async () => {
      if (isAway) throw new Error('away')
      return Date.now() + HOUR
    })
    await clock.sync()
    isAway = true
    await expect(clock.sync()).rejects.toThrow('away')
    expect(Math.abs(clock.nowMs() - Date.now() - HOUR)).toBeLessThan(50)
  })
})

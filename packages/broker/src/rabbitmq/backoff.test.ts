import { Backoff, backoffMs } from './backoff.ts'

describe('backoffMs', () => {
  it('tries at once after no failure', () => {
    expect(backoffMs(0, 0.999)).toBe(0)
  })

  it.each([
    [1, 50, 100],
    [2, 100, 200],
    [5, 800, 1_600],
    [6, 1_500, 3_000],
    [2_000, 1_500, 3_000],
  ])('waits after %d failures from %d to %d ms', (failures, least, most) => {
    expect([backoffMs(failures, 0), backoffMs(failures, 1)]).toEqual([least, most])
  })
})

describe('Backoff', () => {
  it('begins anew only when what it paces has held for a while', () => {
    const backoff = new Backoff()
    expect(backoff.nextDelayMs()).toBe(0)
    backoff.held(20)
    expect(backoff.nextDelayMs()).toBeGreaterThan(0)
    backoff.held(60_000)
    expect(backoff.nextDelayMs()).toBe(0)
  })
})

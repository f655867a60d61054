import { verifySignature } from '@postrider/testkit'
import {
  type Arrival,
  CHANGE_TRIAL_TIMEOUT_MS,
  type ChangedDestination,
  type ChangeTrial,
  IN_TIME_MS,
  runChangeTrial,
} from './freshness/change-trial.ts'

/**
 * Rule 5 at work: what a deliverer remembers of a destination is fresh enough, under load, with
 * announcements and without. Times are those of the signing, not of the arrival.
 */
describe.each([
  ['with Redis', false],
  ['whose Redis has just died', true],
])('a destination that changes under 500 events/s over two deliverers, %s', (_, isRedisKilled) => {
  let trial: ChangeTrial

  beforeAll(async () => {
    trial = await runChangeTrial({ isRedisKilled })
  }, CHANGE_TRIAL_TIMEOUT_MS)

  it('is signed for with its new secret, by both deliverers, 5 s after a rotation', () => {
    const { before, after, arrivals } = trial.rotated
    expect(after.credentials.secret).not.toBe(before.credentials.secret)
    const isNew = (arrival: Arrival): boolean => isSignedWith(after.credentials.secret, arrival)
    expect(arrivals.some((arrival) => !isNew(arrival))).toBe(true)
    expect(timesOf(late(arrivals).filter((arrival) => !isNew(arrival)))).toEqual([])
    expect(deliverersOf(late(arrivals))).toEqual([0, 1])
  })

  it('verifies every request when it knows the old secret and the new one', () => {
    for (const { before, after, arrivals } of [trial.rotated, trial.moved, trial.disabled]) {
      const secrets = [before.credentials.secret, after.credentials.secret]
      const isVerified = (arrival: Arrival): boolean =>
        secrets.some((secret) => isSignedWith(secret, arrival))
      expect(timesOf(arrivals.filter((arrival) => !isVerified(arrival)))).toEqual([])
    }
  })

  it('is sent to at its new URL, by both deliverers, 5 s after that has changed', () => {
    const { before, after, arrivals } = trial.moved
    expect(urlsOf(arrivals)).toEqual([before.config.url, after.config.url])
    expect(urlsOf(late(arrivals))).toEqual([after.config.url])
    expect(deliverersOf(late(arrivals))).toEqual([0, 1])
  })

  it('is sent nothing 5 s after it was disabled, nor what it was to get again', () => {
    const { arrivals, skipped } = trial.disabled
    expect(timesOf(late(arrivals))).toEqual([])
    expect(arrivals.some(({ eventId }) => skipped.has(eventId))).toBe(true)
  })

  it('gets every event for it, but for those that are skipped because it is disabled', () => {
    const { rotated, moved, disabled } = trial
    expect([rotated, moved, disabled].map(missing)).toEqual([[], [], []])
    expect([rotated.skipped.size, moved.skipped.size]).toEqual([0, 0])
  })
})

/** What was signed when the change must have been known. */
function late(arrivals: readonly Arrival[]): Arrival[] {
  return arrivals.filter(({ signedAfterMs }) => signedAfterMs > IN_TIME_MS)
}

/** What a failed assertion shows of them. */
function timesOf(arrivals: readonly Arrival[]): number[] {
  return arrivals.map(({ signedAfterMs }) => signedAfterMs)
}

function urlsOf(arrivals: readonly Arrival[]): string[] {
  return [...new Set(arrivals.map(({ url }) => url))]
}

function deliverersOf(arrivals: readonly Arrival[]): number[] {
  return [...new Set(arrivals.map(({ deliverer }) => deliverer))].toSorted((a, b) => a - b)
}

function missing({ accepted, arrivals, skipped }: ChangedDestination): string[] {
  const arrived = new Set(arrivals.map(({ eventId }) => eventId))
  return [...accepted].filter((id) => !arrived.has(id) && !skipped.has(id))
}

function isSignedWith(secret: string, { request }: Arrival): boolean {
  const header = String(request.headers['x-service-signature'])
  return verifySignature({ secret, header, body: request.body })
}

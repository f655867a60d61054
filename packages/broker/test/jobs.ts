import { type Job, newEventId, newUid } from '@postrider/common'

/** A valid job of a delivery of its own. */
export function jobOf(overrides: Partial<Job> = {}): Job {
  return {
    queue: 'fresh',
    eventUid: newUid(),
    destinationUid: newUid(),
    receivedAt: '2026-11-21 12:00:00.123456+00',
    dispatch: 1,
    tenantUid: newUid(),
    eventId: newEventId(),
    topic: 'user.created',
    timeMs: 1_795_262_400_123,
    metadata: {},
    leaseEndMs: 1_795_262_520_123,
    verify: false,
    manual: false,
    data: Buffer.from('{"n":12345678901234567890}'),
    ...overrides,
  }
}

export function jobsOf(count: number, overrides: Partial<Job> = {}): Job[] {
  return Array.from({ length: count }, () => jobOf(overrides))
}

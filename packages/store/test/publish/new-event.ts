import { createHash } from 'node:crypto'
import { newUid } from '@postrider/common'
import { destinationRow, type DestinationRow } from '@postrider/testkit'
import type { NewDelivery, NewEvent } from '../../src/index.ts'

const WINDOW_MS = 86_400_000
export const LEASE_MS = 120_000
export const OPTIONS = { windowMs: WINDOW_MS, leaseMs: LEASE_MS }

/** An event that nothing is special about; name what matters. */
export function newEvent(given: Partial<NewEvent> & Pick<NewEvent, 'tenantUid'>): NewEvent {
  const uid = given.uid ?? newUid()
  return {
    uid,
    id: `evt_${uid}`,
    contentHash: null,
    topic: 'user.created',
    timeMs: Date.UTC(2026, 10, 21),
    metadata: {},
    data: Buffer.from('{}'),
    isEligibleForRetry: true,
    deliveries: [],
    ...given,
  }
}

/** An event whose id its caller chose. */
export function claimingEvent(
  given: Partial<NewEvent> & Pick<NewEvent, 'tenantUid' | 'id'>,
): NewEvent {
  return newEvent({ contentHash: hashOf('content'), ...given })
}

export function hashOf(content: string): Buffer {
  return createHash('sha256').update(content).digest()
}

/** A delivery to a destination; made up when it does not matter which. */
export function newDelivery(
  intake: NewDelivery['intake'],
  destination: DestinationRow = destinationRow({ tenantUid: newUid() }),
): NewDelivery {
  return { destinationUid: destination.uid, destinationId: destination.id, intake }
}

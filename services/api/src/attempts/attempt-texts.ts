import type { Static } from 'typebox'
import { type AttemptView, readDestinations } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { type DestinationView, destinationView } from '../destinations/destination-view.ts'
import { attemptText } from './attempt-view.ts'
import type { Included } from './include.ts'

/** The JSON texts of attempts, with what is included; each destination is read once. */
export async function attemptTexts(
  context: ApiContext,
  attempts: readonly AttemptView[],
  included: Included,
): Promise<string[]> {
  const destinations = included.destination
    ? await destinationsOf(context, attempts)
    : new Map<string, Static<typeof DestinationView>>()
  return attempts.map((attempt) =>
    attemptText(attempt, {
      included,
      destination: destinations.get(attempt.destinationUid) ?? null,
    }),
  )
}

async function destinationsOf(
  { store, registry }: ApiContext,
  attempts: readonly AttemptView[],
): Promise<Map<string, Static<typeof DestinationView>>> {
  const uids = new Set(attempts.map((attempt) => attempt.destinationUid))
  const destinations = await readDestinations(store, [...uids])
  const now = Date.now()
  return new Map(
    destinations.map((destination) => [
      destination.uid,
      destinationView(destination, registry, now),
    ]),
  )
}

import type { Static } from 'typebox'
import {
  changeDestination,
  type DestinationContent,
  type StoredDestination,
} from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { type DestinationView, destinationView } from './destination-view.ts'
import { missing } from './missing.ts'

/**
 * Changes a destination, tells the other processes when anything is other than it was, and answers
 * with the destination as it is now.
 *
 * @throws {ApiError} tenant_not_found, destination_not_found, and whatever `change` throws
 */
export async function applyChange(
  { store, state, registry }: Pick<ApiContext, 'store' | 'state' | 'registry'>,
  params: { readonly tenant_id: string; readonly destination_id: string },
  change: (current: StoredDestination, now: Date) => DestinationContent | null,
): Promise<Static<typeof DestinationView>> {
  const name = { tenantId: params.tenant_id, id: params.destination_id }
  const answer = await changeDestination(store, { ...name, change })
  if (answer.kind !== 'found') throw missing(answer.kind, name)
  const { destination, changed } = answer
  if (changed) await state.announce([{ destinationUid: destination.uid }])
  return destinationView(destination, registry, Date.now())
}

import type { StringMap } from '@postrider/common'

/** A publish as it was asked for: valid in itself, nothing looked up yet. */
export interface Publication {
  readonly tenantId: string
  /** Chosen by the caller, who may come with it again; null: one is made. */
  readonly id: string | null
  /** Empty: none. */
  readonly topic: string
  /** Deliver to this destination only; null: to all that match. */
  readonly destinationId: string | null
  readonly isEligibleForRetry: boolean
  /** Unix milliseconds; null: the time of the publish. */
  readonly timeMs: number | null
  readonly metadata: StringMap
  /** The bytes as published. */
  readonly data: Buffer
  /** The same parsed, for filters. */
  readonly parsedData: unknown
}

/** What a publish comes to. */
export type PublishAnswer =
  | {
      /** Committed: from now on nothing short of losing Postgres loses it. */
      readonly kind: 'accepted'
      readonly id: string
      /** An earlier publish of this id made the event; nothing was done. */
      readonly isDuplicate: boolean
      /** All destinations with a delivery, in the order of their creation. */
      readonly destinationIds: readonly string[]
    }
  | { readonly kind: 'tenant-not-found' }
  | { readonly kind: 'destination-not-found' }
  /** The id stands for an event with other content. */
  | { readonly kind: 'id-conflict' }
  /** Nothing is known to be committed. */
  | { readonly kind: 'failed'; readonly error: unknown }

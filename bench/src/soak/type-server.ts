import type { Ledger } from './ledger.ts'
import type { Random } from './random.ts'

/** What a destination is made with. */
export interface GivenSettings {
  readonly config?: Readonly<Record<string, string>>
  readonly credentials?: Readonly<Record<string, string>>
}

/** Where events for one destination arrive. */
export interface Place {
  /** Of the destination, and of what its type has there: a queue, a path, a key prefix. */
  readonly id: string
  readonly isIll: boolean
  /** Of this place alone. */
  readonly random: Random
}

/** Everything on the other side for the destinations of one type. */
export interface TypeServer {
  readonly type: string
  /** It sees every try, also those that it refuses or leaves without an answer. */
  readonly seesTries: boolean
  /** Settings that the service needs for this type. */
  readonly env?: Readonly<Record<string, string>>
  /** Makes room for a destination. */
  add(place: Place): Promise<GivenSettings>
  /**
   * Brings into the ledger what has arrived and is not there yet, or, where a front keeps it, counts
   * whether the server behind holds what the front saw it take.
   */
  drain?(): Promise<void>
  /** Idempotent. */
  stop(): Promise<void>
}

/** Starts the server of a type; whoever starts it stops it. */
export type StartTypeServer = (ledger: Ledger) => Promise<TypeServer>

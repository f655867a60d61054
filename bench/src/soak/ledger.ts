/**
 * What a server did with a message that arrived:
 *
 * - `acknowledged`: took it, and said so
 * - `taken`: took it; whether its word got through, nobody here can tell
 * - `lost`: took it, and its answer was kept from us
 * - `refused`: said no
 * - `silent`: neither took it nor answered
 */
export type Deed = 'acknowledged' | 'taken' | 'lost' | 'refused' | 'silent'

/** One arrival of an event at the server of a destination. */
export interface Arrival {
  readonly deed: Deed
  /** What Postrider has to call the refusal; null when it was none. */
  readonly code: string | null
  /** Of the data's bytes. */
  readonly hash: string
}

/** What the servers have seen, for each destination and event in order of arrival. */
export class Ledger {
  readonly #arrivals = new Map<string, Arrival[]>()
  readonly #had = new Map<string, Set<string>>()
  readonly #taken = new Map<string, number>()
  readonly #surprises: string[] = []

  /** What should not happen at a server at all. */
  get surprises(): readonly string[] {
    return this.#surprises
  }

  record(destinationId: string, eventId: string, arrival: Arrival): void {
    const key = `${destinationId} ${eventId}`
    const arrivals = this.#arrivals.get(key)
    if (arrivals === undefined) this.#arrivals.set(key, [arrival])
    else arrivals.push(arrival)
    if (!isHad(arrival)) return
    this.#taken.set(destinationId, this.taken(destinationId) + 1)
    const had = this.#had.get(destinationId)
    if (had === undefined) this.#had.set(destinationId, new Set([eventId]))
    else had.add(eventId)
  }

  /** How often the server of a destination took something, the same event again included. */
  taken(destinationId: string): number {
    return this.#taken.get(destinationId) ?? 0
  }

  /** How many different events the server of a destination has. */
  had(destinationId: string): number {
    return this.#had.get(destinationId)?.size ?? 0
  }

  arrivals(destinationId: string, eventId: string): readonly Arrival[] {
    return this.#arrivals.get(`${destinationId} ${eventId}`) ?? []
  }

  surprise(what: string): void {
    this.#surprises.push(what)
  }
}

/** The server has the message. */
export function isHad({ deed }: Arrival): boolean {
  return deed === 'acknowledged' || deed === 'taken' || deed === 'lost'
}

/** Where a fault strikes: when a token is shown, when a link is opened, when a message arrives. */
export type BusPoint = 'token' | 'link' | 'message'

/**
 * What goes wrong there: the service says no with an AMQP condition (a token: with a status), never
 * answers, or cuts the connection.
 */
export type BusFault =
  | { readonly kind: 'refuse'; readonly condition: string; readonly description?: string }
  | { readonly kind: 'hang' }
  | { readonly kind: 'cut' }

/** Faults that are still to strike, each once. */
export class BusFaults {
  readonly #waiting: { readonly at: BusPoint; readonly fault: BusFault }[] = []

  add(at: BusPoint, fault: BusFault, times: number): void {
    for (let i = 0; i < times; i += 1) this.#waiting.push({ at, fault })
  }

  /** The next fault for this point; null: all goes well. */
  next(at: BusPoint): BusFault | null {
    const i = this.#waiting.findIndex((waiting) => waiting.at === at)
    if (i === -1) return null
    const [found] = this.#waiting.splice(i, 1)
    return found?.fault ?? null
  }
}

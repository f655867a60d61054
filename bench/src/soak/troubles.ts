import type { Random } from './random.ts'

/** How a server that sees every try fails one of them. */
export type Trouble =
  /** It says no. */
  | 'refuse'
  /** It says no to a part of a batch. */
  | 'refuse-some'
  /** The connection is cut, or nothing is answered, before anything was taken. */
  | 'cut'
  | 'hang'
  /** It takes what came, and the answer is lost. */
  | 'take-and-cut'
  | 'take-and-hang'

const TROUBLES: readonly (readonly [Trouble, number])[] = [
  ['refuse', 5],
  ['refuse-some', 3],
  ['cut', 3],
  ['hang', 1],
  ['take-and-cut', 3],
  ['take-and-hang', 1],
]

/** How often they fail: some now and then, some nearly always. */
const SHARES = [0.3, 0.6, 0.9]

/** The fate of each try at one server, drawn when it comes. */
export class Troubles {
  readonly #random: Random
  readonly #share: number

  constructor(random: Random) {
    this.#random = random
    this.#share = SHARES[random.below(SHARES.length)] ?? 1
  }

  /** Null: all goes well. */
  next(): Trouble | null {
    return this.#random.next() < this.#share ? this.#random.pick(TROUBLES) : null
  }

  /** One of the ways in which a server can say no. */
  refusal<T>(refusals: readonly T[]): T {
    return this.#random.pick(refusals.map((refusal) => [refusal, 1] as const))
  }

  /** Which of so many messages are refused; never all of them. */
  some(count: number): ReadonlySet<number> {
    const chosen = Array.from({ length: count }, (_, i) => i).filter(
      () => this.#random.next() < 0.5,
    )
    return new Set(chosen.length === count ? chosen.slice(1) : chosen)
  }
}

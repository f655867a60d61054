/** A stream of chance that a seed repeats. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  between(min: number, max: number): number {
    return min + this.next() * (max - min)
  }

  /** One of the values, as often as its weight says. */
  pick<T>(weighted: readonly (readonly [T, number])[]): T {
    const [first] = weighted
    if (first === undefined) throw new Error('nothing to pick from')
    let left = this.next() * weighted.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [value, weight] of weighted) {
      left -= weight
      if (left < 0) return value
    }
    return first[0]
  }

  /** A stream of its own, so that others do not depend on how much is drawn from it. */
  fork(): Random {
    return new Random(this.below(2 ** 32))
  }
}

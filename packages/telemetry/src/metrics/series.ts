import { labelsText, numberText, type Sample } from './text.ts'

/** The numbers of one combination of labels. */
export interface Series {
  samples(labels: string): readonly Sample[]
}

/** Counts up, for ever. */
export class Counter implements Series {
  #value = 0

  /** @param amount - Not negative. (Default: 1) */
  add(amount = 1): void {
    this.#value += amount
  }

  samples(labels: string): readonly Sample[] {
    return [{ suffix: '', labels, value: this.#value }]
  }
}

/** A value that goes up and down. */
export class Gauge implements Series {
  #read: () => number = () => 0

  set(value: number): void {
    this.#read = () => value
  }

  /** Asks for the value whenever the metrics are read, instead of being told. */
  follow(read: () => number): void {
    this.#read = read
  }

  samples(labels: string): readonly Sample[] {
    return [{ suffix: '', labels, value: this.#read() }]
  }
}

/** Counts observations by size. */
export class Histogram implements Series {
  readonly #bounds: readonly number[]
  /** One for each bound, and one for what is beyond the last. */
  readonly #counts: Float64Array
  #sum = 0

  /** @param bounds - Upper bounds, ascending, each within its bucket */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    let bucket = 0
    while (value > (this.#bounds[bucket] ?? Infinity)) bucket++
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sum += value
  }

  samples(labels: string): readonly Sample[] {
    const prefix = labels === '' ? '' : `${labels},`
    let count = 0
    const buckets = Array.from(this.#counts, (inBucket, index) => {
      count += inBucket
      const le = numberText(this.#bounds[index] ?? Infinity)
      return { suffix: '_bucket', labels: prefix + labelsText(['le'], { le }), value: count }
    })
    return [
      ...buckets,
      { suffix: '_sum', labels, value: this.#sum },
      { suffix: '_count', labels, value: count },
    ]
  }
}

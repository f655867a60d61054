export interface BatcherOptions<T, R> {
  /** Items in one batch, at most. */
  readonly maxItems: number
  /** Bytes in one batch, at most; an item that is larger makes a batch of its own. Default: no bound. */
  readonly maxBytes?: number
  /** What an item counts towards `maxBytes`. Default: nothing. */
  readonly bytesOf?: (item: T) => number
  /** Batches under way at once, at most. */
  readonly concurrency: number
  /** Does the work of a batch: one result for each item, in order. */
  readonly run: (items: readonly T[]) => Promise<readonly R[]>
}

interface Waiting<T, R> {
  readonly item: T
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

/**
 * Gathers single pieces of work into batches without a timer: the next batch starts when one of those
 * under way has ended, so that batches grow with the load by themselves, and a piece that comes alone
 * waits for nothing.
 */
export class Batcher<T, R> {
  readonly #options: BatcherOptions<T, R>
  #waiting: Waiting<T, R>[] = []
  #running = 0
  #scheduled = false

  constructor(options: BatcherOptions<T, R>) {
    this.#options = options
  }

  /** Resolves with the item's own result; rejects with what its batch was rejected with. */
  add(item: T): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#schedule()
    })
  }

  // Waiting for the end of this turn of the event loop lets everything that arrived with it go along.
  #schedule(): void {
    if (this.#scheduled || this.#running >= this.#options.concurrency) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#startBatches()
    })
  }

  #startBatches(): void {
    while (this.#waiting.length > 0 && this.#running < this.#options.concurrency) {
      const length = this.#nextLength()
      const batch = this.#waiting.slice(0, length)
      this.#waiting = this.#waiting.slice(length)
      this.#running++
      void this.#runBatch(batch) // Settles every item's own promise and never rejects.
    }
  }

  /** How many of those that wait make the next batch. */
  #nextLength(): number {
    const { maxItems, maxBytes = Infinity, bytesOf } = this.#options
    if (bytesOf === undefined) return maxItems
    let bytes = 0
    let length = 0
    for (const { item } of this.#waiting) {
      bytes += bytesOf(item)
      if (length === maxItems || (length > 0 && bytes > maxBytes)) break
      length++
    }
    return length
  }

  async #runBatch(batch: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.#options.run(batch.map(({ item }) => item))
      batch.forEach(({ resolve, reject }, i) => {
        if (i < results.length) resolve(results[i] as R)
        else reject(new Error('the batch has no result for this item'))
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      this.#running--
      this.#schedule()
    }
  }
}

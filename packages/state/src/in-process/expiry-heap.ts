/** Something that ends at a time. The heap alone writes `heapIndex`. */
export interface Expiring {
  readonly expiresAtMs: number
  heapIndex: number
}

/**
 * A binary heap, earliest end first, from which any entry can be removed: an entry knows where it
 * lies. Most places are given back long before they end, so that a heap which only forgets at the end
 * would hold a whole lease's worth of the dead.
 */
export class ExpiryHeap<T extends Expiring> {
  readonly #entries: T[] = []

  push(entry: T): void {
    entry.heapIndex = this.#entries.length
    this.#entries.push(entry)
    this.#rise(entry)
  }

  /** Removes an entry that is in the heap. */
  remove(entry: T): void {
    const last = this.#entries.pop()
    if (last === undefined || last === entry) return
    this.#put(last, entry.heapIndex)
    this.#rise(last)
    this.#sink(last)
  }

  /** The earliest entry that has ended by `nowMs`, removed; undefined when none has. */
  popEnded(nowMs: number): T | undefined {
    const first = this.#entries[0]
    if (first === undefined || first.expiresAtMs > nowMs) return undefined
    this.remove(first)
    return first
  }

  #put(entry: T, index: number): void {
    entry.heapIndex = index
    this.#entries[index] = entry
  }

  #rise(entry: T): void {
    let index = entry.heapIndex
    while (index > 0) {
      const parent = this.#entries[(index - 1) >> 1]
      if (parent === undefined || parent.expiresAtMs <= entry.expiresAtMs) break
      const above = parent.heapIndex
      this.#put(parent, index)
      index = above
    }
    this.#put(entry, index)
  }

  #sink(entry: T): void {
    let index = entry.heapIndex
    for (;;) {
      const left = this.#entries[2 * index + 1]
      const right = this.#entries[2 * index + 2]
      const child =
        left !== undefined && right !== undefined && right.expiresAtMs < left.expiresAtMs
          ? right
          : left
      if (child === undefined || child.expiresAtMs >= entry.expiresAtMs) break
      const below = child.heapIndex
      this.#put(child, index)
      index = below
    }
    this.#put(entry, index)
  }
}

/** Below this many dead slots, moving the rest to the front is not worth it. */
const COMPACT_FROM = 1024

/** First in, first out; every operation takes constant time, however long it gets. */
export class Fifo<T> {
  #items: (T | undefined)[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  /** The item that many places behind the oldest; undefined beyond the newest. */
  at(index: number): T | undefined {
    return this.#items[this.#head + index]
  }

  /** Takes the oldest item. */
  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head++] = undefined
    if (this.#head === this.#items.length) {
      this.clear()
    } else if (this.#head >= COMPACT_FROM && this.#head * 2 >= this.#items.length) {
      // At least as many slots are dropped as are moved: constant time on average.
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  clear(): void {
    this.#items = []
    this.#head = 0
  }
}

/** Sweeps begin above this; a map that small is not worth one. */
const SWEEP_FROM = 1000

/** A map whose entries end by themselves. What has ended is freed when it is met or by a sweep. */
export class ExpiringMap<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly endsAtMs: number }>()
  #sweepAt = SWEEP_FROM

  /** Entries in memory, some of which may have ended. */
  get size(): number {
    return this.#entries.size
  }

  get(key: string, nowMs: number): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.endsAtMs > nowMs) return entry?.value
    this.#entries.delete(key)
    return undefined
  }

  set(key: string, value: V, endsAtMs: number, nowMs: number): void {
    this.#entries.set(key, { value, endsAtMs })
    if (this.#entries.size >= this.#sweepAt) this.#sweep(nowMs)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  /** The next one comes when the map has doubled, so that sweeping costs a set only a constant. */
  #sweep(nowMs: number): void {
    for (const [key, { endsAtMs }] of this.#entries) {
      if (endsAtMs <= nowMs) this.#entries.delete(key)
    }
    this.#sweepAt = Math.max(SWEEP_FROM, 2 * this.#entries.size)
  }
}

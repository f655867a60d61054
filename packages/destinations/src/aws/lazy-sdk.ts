/** A client of an SDK that is loaded by its first use. */
export class LazySdk<C extends { destroy(): void }> {
  readonly #load: () => Promise<C>
  #client: Promise<C> | null = null

  constructor(load: () => Promise<C>) {
    this.#load = load
  }

  async get(): Promise<C> {
    this.#client ??= this.#load()
    return this.#client
  }

  /** Ends its connections. Never rejects. */
  async close(): Promise<void> {
    try {
      const client = await this.#client
      client?.destroy()
    } catch {
      // It could not be loaded, as whoever used it knows.
    }
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Message, Sender } from 'rhea'

/** The messages of a queue, and those who read it. */
export class BusQueue {
  readonly #messages: Message[] = []
  readonly #readers = new Set<Sender>()
  #isPumping = false

  add(message: Message): void {
    this.#messages.push(message)
    void this.#pump() // Never rejects.
  }

  /** Gives messages to this link as far as it has credit; they are gone then. */
  addReader(link: Sender): void {
    this.#readers.add(link)
    void this.#pump() // Never rejects.
  }

  removeReader(link: Sender): void {
    this.#readers.delete(link)
  }

  /** Somebody has credit again. */
  wake(): void {
    void this.#pump() // Never rejects.
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return
    this.#isPumping = true
    for (;;) {
      const reader = [...this.#readers].find((link) => link.is_open() && link.sendable())
      if (reader === undefined || this.#messages.length === 0) break
      const message = this.#messages.shift()
      if (message !== undefined) reader.send(message)
      // rhea counts the credit when it writes.
      await nextTurn()
    }
    this.#isPumping = false
  }
}

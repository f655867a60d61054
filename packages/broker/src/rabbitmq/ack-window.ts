import type { Message } from 'amqplib'
import { Fifo } from '../fifo.ts'
import type { HeldMessage } from './held-message.ts'

/** What of a channel is needed here. */
export interface AckChannel {
  ack(message: Message, allUpTo: boolean): void
}

/**
 * The messages of one consumer channel that are not yet acked, in the order of their delivery tags.
 *
 * Acks are gathered and written once per turn of the event loop: one `multiple` ack for the unbroken run
 * from the oldest message on, and one each for what ended behind one that is still held. So a batch of
 * outcomes costs a few frames, and one slow job holds back nobody's place of the prefetch.
 */
export class AckWindow {
  readonly #channel: AckChannel
  readonly #onEmpty: () => void
  readonly #held = new Fifo<HeldMessage>()
  #ended: HeldMessage[] = []
  #isOpen = true

  /** @param onEmpty - called when the last message was acked to the broker */
  constructor(channel: AckChannel, onEmpty: () => void) {
    this.#channel = channel
    this.#onEmpty = onEmpty
  }

  /** False once acks can go nowhere any more. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Nothing is held. */
  get isEmpty(): boolean {
    return this.#held.length === 0
  }

  /** The broker handed out a message; they come in the order of their tags. */
  add(message: HeldMessage): void {
    this.#held.push(message)
  }

  /** A message of this window is done with. */
  ended(message: HeldMessage): void {
    if (!this.#isOpen) return
    if (this.#ended.length === 0) setImmediate(() => this.#flush())
    this.#ended.push(message)
  }

  /**
   * The channel is lost, or about to be closed: what has ended is acked if it still can be, the rest the
   * broker hands out again. Idempotent.
   */
  close(): void {
    this.#flush()
    this.#isOpen = false
    this.#held.clear()
  }

  #flush(): void {
    if (!this.#isOpen || this.#ended.length === 0) return
    const ended = this.#ended
    this.#ended = []
    try {
      this.#ackRun()
      this.#ackBehind(ended)
    } catch {
      // amqplib gives a channel up before it tells, and throws on what is written to it in between.
      this.#isOpen = false
    }
    if (this.#held.length === 0) this.#onEmpty()
  }

  #ackRun(): void {
    let last: HeldMessage | undefined
    for (let next = this.#held.at(0); next?.isEnded === true; next = this.#held.at(0)) {
      // n.b. a `multiple` ack up to a tag that was acked before is a protocol error.
      if (!next.isAcked) last = next
      this.#held.shift()
    }
    if (last !== undefined) this.#channel.ack(last.message, true)
  }

  /** Acks those of the ended that were not part of the run. */
  #ackBehind(ended: readonly HeldMessage[]): void {
    const oldest = this.#held.at(0)
    if (oldest === undefined) return
    for (const held of ended) {
      if (held.message.fields.deliveryTag < oldest.message.fields.deliveryTag) continue
      held.isAcked = true
      this.#channel.ack(held.message, false)
    }
  }
}

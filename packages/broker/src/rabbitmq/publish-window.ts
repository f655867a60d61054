import { Fifo } from '../fifo.ts'
import type { PublishFate } from '../job-queue.ts'
import type { PublishBatch } from './publish-batch.ts'

/**
 * The publish batches of one channel that wait for something, oldest first: some written and waiting
 * for confirms, at most one partly written, the others waiting for room on the socket.
 */
export class PublishWindow {
  readonly #batches = new Fifo<PublishBatch>()
  /** Batches before this index are written to the end. */
  #unwrittenAt = 0
  #nextTag = 1

  /** The oldest batch without all its fates. */
  get oldest(): PublishBatch | undefined {
    return this.#batches.at(0)
  }

  /** The tag of the next message on this channel; the broker counts along. */
  get nextTag(): number {
    return this.#nextTag
  }

  add(batch: PublishBatch): void {
    this.#batches.push(batch)
  }

  /** The batch whose messages are to be written next. */
  nextUnwritten(): PublishBatch | undefined {
    for (;;) {
      const batch = this.#batches.at(this.#unwrittenAt)
      if (batch === undefined) return undefined
      // Also when there is nothing left to write of it, so that tags never fall along the window.
      if (batch.firstTag === 0) batch.begin(this.#nextTag)
      if (batch.hasUnwritten) return batch
      this.#unwrittenAt++
    }
  }

  /** The next message of this batch, which is `nextUnwritten()`, was written. */
  wrote(batch: PublishBatch): void {
    batch.wrote()
    this.#nextTag++
  }

  /** A message's fate is known. Tags of batches that have ended are passed over. */
  settle(tag: number, fate: PublishFate): void {
    this.#find(tag)?.settle(tag, fate)
    this.#forgetSettled()
  }

  /** The fate of all messages up to this tag that had none. */
  settleUpTo(tag: number, fate: PublishFate): void {
    for (let i = 0; ; i++) {
      const batch = this.#batches.at(i)
      if (batch === undefined || batch.firstTag === 0 || batch.firstTag > tag) break
      batch.settleUpTo(tag, fate)
    }
    this.#forgetSettled()
  }

  /** Ends what was not written. */
  refuseUnwritten(): void {
    for (let i = this.#unwrittenAt; i < this.#batches.length; i++) {
      this.#batches.at(i)?.refuseUnwritten()
    }
    this.#forgetSettled()
  }

  /** Ends the batches whose deadline has come; answers how many. */
  expire(nowMs: number): number {
    let expired = 0
    for (let batch = this.oldest; batch !== undefined; batch = this.oldest) {
      if (batch.deadlineMs > nowMs) break
      batch.abandon()
      this.#forgetSettled()
      expired++
    }
    return expired
  }

  /** Ends everything as it stands: the channel is lost. */
  abandon(): void {
    this.expire(Infinity)
  }

  #find(tag: number): PublishBatch | undefined {
    // Binary search for the last batch that begins at or before the tag, among those with tags.
    let low = 0
    let high = this.#batches.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const firstTag = this.#batches.at(middle)?.firstTag ?? 0
      if (firstTag !== 0 && firstTag <= tag) low = middle + 1
      else high = middle
    }
    return low === 0 ? undefined : this.#batches.at(low - 1)
  }

  #forgetSettled(): void {
    while (this.oldest?.isSettled === true) {
      this.#batches.shift()
      if (this.#unwrittenAt > 0) this.#unwrittenAt--
    }
  }
}

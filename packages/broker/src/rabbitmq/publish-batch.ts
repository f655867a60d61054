import type { PublishFate } from '../job-queue.ts'

/** Messages to publish. Bodies are made when they are written, so that those who wait stay small. */
export interface Outgoing {
  readonly count: number
  readonly headers?: Readonly<Record<string, string>>
  queueOf(index: number): string
  bodyOf(index: number): Buffer
}

const NOTHING: Outgoing = {
  count: 0,
  queueOf: () => '',
  bodyOf: () => Buffer.alloc(0),
}

/**
 * The messages of one publish call, from its queue to their fates.
 *
 * Messages are written in order and without others between them, so that a delivery tag is the first
 * one's plus an index: one object per call, none per message. The first fate of a message is its last.
 */
export class PublishBatch {
  /** When it ends as it stands, by Date.now(). */
  readonly deadlineMs: number
  readonly #resolve: (fates: readonly PublishFate[]) => void
  readonly #fates: (PublishFate | null)[]
  #outgoing: Outgoing
  #written = 0
  /** Messages from this index on will not be written. */
  #end: number
  #firstTag = 0
  /** Messages before this index have their fates. */
  #settledUpTo = 0
  #open: number

  constructor(
    outgoing: Outgoing,
    deadlineMs: number,
    resolve: (fates: readonly PublishFate[]) => void,
  ) {
    this.deadlineMs = deadlineMs
    this.#outgoing = outgoing
    this.#resolve = resolve
    this.#fates = Array.from<PublishFate | null>({ length: outgoing.count }).fill(null)
    this.#end = outgoing.count
    this.#open = outgoing.count
  }

  get outgoing(): Outgoing {
    return this.#outgoing
  }

  /** Every message has its fate. */
  get isSettled(): boolean {
    return this.#open === 0
  }

  /** Messages written; the index of the next one. */
  get written(): number {
    return this.#written
  }

  get hasUnwritten(): boolean {
    return this.#written < this.#end
  }

  /** The tag that its first message has or would have had; 0 before its turn has come. */
  get firstTag(): number {
    return this.#firstTag
  }

  /** Its turn to be written has come; the next tag is this one. */
  begin(tag: number): void {
    this.#firstTag = tag
  }

  /** The next message was written. */
  wrote(): void {
    this.#written++
  }

  settle(tag: number, fate: PublishFate): void {
    const index = tag - this.#firstTag
    if (index < this.#written) this.#give(index, fate)
  }

  settleUpTo(tag: number, fate: PublishFate): void {
    const end = Math.min(tag - this.#firstTag + 1, this.#written)
    for (; this.#settledUpTo < end; this.#settledUpTo++) this.#give(this.#settledUpTo, fate)
  }

  /** Ends the messages that were not written: nobody will ever see them. */
  refuseUnwritten(): void {
    for (let i = this.#written; i < this.#end; i++) this.#give(i, 'refused')
    this.#end = this.#written
  }

  /** Ends it as it stands: what was written and has no answer may or may not be in its queue. */
  abandon(): void {
    this.settleUpTo(this.#firstTag + this.#written - 1, 'unknown')
    this.refuseUnwritten()
  }

  #give(index: number, fate: PublishFate): void {
    if (this.#fates[index] !== null) return
    this.#fates[index] = fate
    if (--this.#open > 0) return
    this.#outgoing = NOTHING
    this.#resolve(this.#fates.map((given) => given ?? 'unknown'))
  }
}

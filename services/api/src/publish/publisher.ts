import type { JobQueue } from '@postrider/broker'
import { Batcher, type Log } from '@postrider/common'
import type { SharedState } from '@postrider/state'
import type { Store } from '@postrider/store'
import { HandOver } from './hand-over.ts'
import type { Publication, PublishAnswer } from './publication.ts'
import { publishBatch } from './publish-batch.ts'
import { RoutingTable } from './routing-table.ts'

/** More publishes wait than should; this one was not taken. */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError'
}

export interface PublisherParts {
  readonly store: Store
  readonly jobs: JobQueue
  readonly state: SharedState
  readonly log: Log
  /** How long a caller's id stands for its event. */
  readonly windowMs: number
  readonly leaseMs: number
}

const MAX_BATCH_EVENTS = 500
const MAX_BATCH_BYTES = 4 * 1024 * 1024
/** While one commits, the next one is matched and sent. */
const BATCHES_IN_FLIGHT = 2
/** Beyond this a caller waits for seconds: better to say so at once. */
const MAX_WAITING_EVENTS = 20_000
const MAX_WAITING_BYTES = 64 * 1024 * 1024

/**
 * Publishes events (ARCHITECTURE.md, "Publish"): gathers concurrent publishes into batches, matches each with
 * the destinations of its tenant as they are now, commits a batch in one statement, and hands the
 * first jobs to the queue after the commit.
 */
export class Publisher {
  readonly #handOver: HandOver
  readonly #batcher: Batcher<Publication, PublishAnswer>
  #waitingEvents = 0
  #waitingBytes = 0
  #idleListeners: (() => void)[] = []

  constructor(parts: PublisherParts) {
    this.#handOver = new HandOver(parts)
    const batchParts = {
      ...parts,
      routings: new RoutingTable(parts.store),
      handOver: this.#handOver,
    }
    this.#batcher = new Batcher({
      maxItems: MAX_BATCH_EVENTS,
      maxBytes: MAX_BATCH_BYTES,
      bytesOf: ({ data }) => data.length,
      concurrency: BATCHES_IN_FLIGHT,
      run: (publications) => publishBatch(batchParts, publications),
    })
  }

  /**
   * Resolves after the commit.
   *
   * @throws {OverloadedError} When too many wait already
   * @throws What Postgres said when nothing is known to be committed; a caller that chose the id can
   *   publish again without harm
   */
  async publish(publication: Publication): Promise<Exclude<PublishAnswer, { kind: 'failed' }>> {
    const { length } = publication.data
    if (
      this.#waitingEvents >= MAX_WAITING_EVENTS ||
      this.#waitingBytes + length > MAX_WAITING_BYTES
    ) {
      throw new OverloadedError('too many publishes are waiting')
    }
    this.#waitingEvents += 1
    this.#waitingBytes += length
    try {
      const answer = await this.#batcher.add(publication)
      if (answer.kind === 'failed') throw answer.error
      return answer
    } finally {
      this.#waitingEvents -= 1
      this.#waitingBytes -= length
      if (this.#waitingEvents === 0) for (const idle of this.#idleListeners.splice(0)) idle()
    }
  }

  /** Resolves when every publish has its answer and every job its fate. The intake ends elsewhere. */
  async stop(): Promise<void> {
    if (this.#waitingEvents > 0) {
      await new Promise<void>((resolve) => this.#idleListeners.push(resolve))
    }
    await this.#handOver.idle()
  }
}

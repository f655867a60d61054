import type { JobOutcome, Log } from '@postrider/common'
import { reactionTo, type WrittenOutcome } from '@postrider/store'
import { withPatience } from './patience.ts'

/** An outcome and whatever its owner needs when it is written. */
export interface PendingOutcome<T> {
  readonly owner: T
  readonly outcome: JobOutcome
}

export interface OutcomeWriterOptions<T> {
  /** The outcome transaction; may be run again with the same batch. */
  readonly write: (outcomes: readonly JobOutcome[]) => Promise<readonly WrittenOutcome[]>
  /** The batch is committed: now its jobs may be acked. Must not throw. */
  readonly onWritten: (
    batch: readonly PendingOutcome<T>[],
    written: readonly WrittenOutcome[],
  ) => void
  /**
   * The outcome cannot be written, however often it is tried: the delivery is left to its lease. Must
   * not throw.
   */
  readonly onUnwritable: (pending: PendingOutcome<T>, error: unknown) => void
  readonly log: Log
  /** Gives up waiting for Postgres. */
  readonly signal: AbortSignal
}

const MAX_BATCH = 500
const MAX_CONCURRENT_BATCHES = 2

/**
 * Gathers outcomes into batches and sees each through to its commit (rule 4): while Postgres is away,
 * deadlocks or times out it runs the batch again; a batch that Postgres refuses is halved until the
 * guilty outcome stands alone, which is then written without its response. One tenant's odd byte does
 * not stop everybody.
 *
 * The next batch starts when one under way has committed, so that batches grow with the load.
 */
export class OutcomeWriter<T> {
  readonly #options: OutcomeWriterOptions<T>
  #pending: PendingOutcome<T>[] = []
  #running = 0
  #scheduled = false

  constructor(options: OutcomeWriterOptions<T>) {
    this.#options = options
  }

  /** Outcomes taken and not yet written. */
  get unwritten(): number {
    return this.#pending.length + this.#running
  }

  add(pending: PendingOutcome<T>): void {
    this.#pending.push(pending)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#running >= MAX_CONCURRENT_BATCHES) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      while (this.#pending.length > 0 && this.#running < MAX_CONCURRENT_BATCHES) {
        this.#running++
        void this.#seeThrough(this.#nextBatch()) // Handles every failure itself.
      }
    })
  }

  /** Up to `MAX_BATCH` outcomes, at most one per delivery; the others wait for the next batch. */
  #nextBatch(): PendingOutcome<T>[] {
    const batch: PendingOutcome<T>[] = []
    const later: PendingOutcome<T>[] = []
    const keys = new Set<string>()
    let taken = 0
    for (const pending of this.#pending) {
      if (batch.length === MAX_BATCH) break
      taken++
      const key = pending.outcome.eventUid + pending.outcome.destinationUid
      if (keys.has(key)) {
        later.push(pending)
      } else {
        keys.add(key)
        batch.push(pending)
      }
    }
    this.#pending = later.concat(this.#pending.slice(taken))
    return batch
  }

  async #seeThrough(batch: readonly PendingOutcome<T>[]): Promise<void> {
    try {
      await this.#write(batch)
    } finally {
      this.#running--
      this.#schedule()
    }
  }

  async #write(batch: readonly PendingOutcome<T>[]): Promise<void> {
    const { write, onWritten, onUnwritable, log, signal } = this.#options
    try {
      const written = await withPatience(() => write(batch.map(({ outcome }) => outcome)), {
        what: 'writing outcomes',
        log,
        signal,
      })
      onWritten(batch, written)
    } catch (error) {
      const [only] = batch
      if (only === undefined) return
      if (reactionTo(error) !== 'refused') {
        for (const pending of batch) onUnwritable(pending, error)
      } else if (batch.length > 1) {
        const half = Math.ceil(batch.length / 2)
        await this.#write(batch.slice(0, half))
        await this.#write(batch.slice(half))
      } else if (hasResponse(only.outcome)) {
        log.error('an outcome was refused; writing it without its response', {
          eventUid: only.outcome.eventUid,
          destinationUid: only.outcome.destinationUid,
          error,
        })
        await this.#write([{ ...only, outcome: withoutResponse(only.outcome) }])
      } else {
        onUnwritable(only, error)
      }
    }
  }
}

function hasResponse({ outcome }: JobOutcome): boolean {
  return outcome.kind !== 'deferred' && outcome.attempt.response !== null
}

function withoutResponse(job: JobOutcome): JobOutcome {
  if (job.outcome.kind === 'deferred') return job
  const attempt = { ...job.outcome.attempt, response: null }
  return { ...job, outcome: { ...job.outcome, attempt } }
}

import type { Log, QueueName } from '@postrider/common'
import type { ConsumeOptions, ReceivedJob } from './job-queue.ts'

/**
 * Gives jobs to a consumer's `onJob`. A job on which it throws is ended: kept, it would hold its place
 * of the prefetch for ever; handed out again, it would be thrown on again at once. Its lease brings it
 * back, counted. Logged once per consumer, since such a fault seldom comes alone.
 */
export class HandOut {
  readonly #onJob: (received: ReceivedJob) => void
  readonly #queue: QueueName
  readonly #log: Log
  #hasFaulted = false

  constructor(options: ConsumeOptions, log: Log) {
    this.#onJob = options.onJob
    this.#queue = options.queue
    this.#log = log
  }

  give(received: ReceivedJob): void {
    try {
      this.#onJob(received)
    } catch (error) {
      this.#fault(received, error)
    }
  }

  #fault(received: ReceivedJob, error: unknown): void {
    received.ack()
    if (this.#hasFaulted) return
    this.#hasFaulted = true
    const { eventUid, destinationUid, dispatch } = received.job
    this.#log.error('the consumer of jobs threw; the job is left to its lease', {
      queue: this.#queue,
      eventUid,
      destinationUid,
      dispatch,
      error,
    })
  }
}

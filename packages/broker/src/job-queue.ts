import type { Job, QueueName } from '@postrider/common'

/**
 * What became of a published job.
 *
 * - `accepted`: the queue has it, on disk where the queue has one.
 * - `refused`: a definite no (nack, return, never written to the socket). Nobody will ever see it.
 * - `unknown`: the connection was lost, or no answer came in time. It may be in the queue: write
 *   nothing, its lease will tell.
 */
export type PublishFate = 'accepted' | 'refused' | 'unknown'

/** A job in the hands of a consumer. */
export interface ReceivedJob {
  readonly job: Job
  /** It was handed out before and not acked: whoever had it may have sent it (rule 3). */
  readonly redelivered: boolean
  /**
   * False once the channel that it came on is lost: the broker hands it out again, so that a job
   * that has not started is to be forgotten.
   */
  readonly isLive: boolean
  /** Ends the job. Goes to the channel that it came from or, when that is lost, nowhere. */
  ack(): void
}

export interface ConsumeOptions {
  readonly queue: QueueName
  /** Jobs handed out and not yet acked, at most: 1 to 65 535. */
  readonly prefetch: number
  /**
   * Called for each job, in the order of the queue; must not throw. When it does, the job is ended and
   * left to its lease.
   */
  readonly onJob: (received: ReceivedJob) => void
}

/** A subscription; survives lost connections until it is cancelled. */
export interface JobConsumer {
  /** Ends the intake: after it resolves no job is handed out. Acks still go through. Idempotent. */
  cancel(): Promise<void>
}

/**
 * The job queue. Carries jobs, may be empty or away at any time, and is never the system of record:
 * losing all of it loses nothing (ARCHITECTURE.md, promise 2).
 */
export interface JobQueue {
  /** Known to be away or blocked: do not publish; leave deliveries due in Postgres instead. */
  readonly isAway: boolean
  /** Resolves when the queue is not away; rejects when `signal` aborts first, or it is stopped. */
  ready(signal?: AbortSignal): Promise<void>
  /**
   * Publishes jobs and tells the fate of each, in their order. Never rejects. Resolves late when the
   * queue is under pressure, which is the back-pressure for its callers, but within a bound. While the
   * queue is away, all are refused at once.
   */
  publish(jobs: readonly Job[]): Promise<readonly PublishFate[]>
  /**
   * Subscribes. Resolves at once, also when the queue is away: jobs come as soon as they can. The caller
   * cancels it. Rejects after `stop()`.
   */
  consume(options: ConsumeOptions): Promise<JobConsumer>
  /**
   * Waits for confirms (bounded), writes the acks that are due, and closes. Idempotent. Consumers should
   * be cancelled before: jobs that are still held are no longer live.
   */
  stop(): Promise<void>
}

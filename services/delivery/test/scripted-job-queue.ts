import type { ConsumeOptions, JobConsumer, JobQueue, PublishFate } from '@postrider/broker'
import type { Job, QueueName } from '@postrider/common'

/** A job that a test has handed out, and what its consumer did with it. */
export interface HandedJob {
  readonly job: Job
  /** How often it was acked. */
  readonly acks: number
  /** The channel that it came on is lost. */
  loseChannel(): void
}

/**
 * A job queue whose moves a test makes: it hands out jobs by hand, marked as it likes, keeps what is
 * published to it, and answers to that as told.
 */
export class ScriptedJobQueue implements JobQueue {
  /** A queue that is away is given nothing by schedulers: what a test hands out is all there is. */
  isAway = false
  /** All jobs that were published and not refused, in order. */
  readonly published: Job[] = []
  /** The fate of each job that is published from now on. */
  fate: PublishFate = 'accepted'
  /** Somebody has asked to end the intake. */
  isCancelling = false
  /** Cancels wait for it; until then jobs still come. */
  cancelled: Promise<unknown> = Promise.resolve()
  readonly #consumers = new Map<QueueName, ConsumeOptions>()

  ready(): Promise<void> {
    return Promise.resolve()
  }

  publish(jobs: readonly Job[]): Promise<readonly PublishFate[]> {
    if (this.fate !== 'refused') this.published.push(...jobs)
    return Promise.resolve(jobs.map(() => this.fate))
  }

  consume(options: ConsumeOptions): Promise<JobConsumer> {
    this.#consumers.set(options.queue, options)
    return Promise.resolve({
      cancel: async () => {
        this.isCancelling = true
        await this.cancelled
        this.#consumers.delete(options.queue)
      },
    })
  }

  stop(): Promise<void> {
    return Promise.resolve()
  }

  /** Hands a job to its consumer. */
  hand(job: Job, { redelivered = false }: { readonly redelivered?: boolean } = {}): HandedJob {
    const consumer = this.#consumers.get(job.queue)
    if (consumer === undefined) throw new Error('nobody takes jobs from this queue')
    let acks = 0
    let isLive = true
    consumer.onJob({
      job,
      redelivered,
      get isLive() {
        return isLive
      },
      ack: () => void acks++,
    })
    return {
      job,
      get acks() {
        return acks
      },
      loseChannel: () => {
        isLive = false
      },
    }
  }
}

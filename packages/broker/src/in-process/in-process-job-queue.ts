import type { Job, Log } from '@postrider/common'
import { HandOut } from '../hand-out.ts'
import type { ConsumeOptions, JobConsumer, JobQueue, PublishFate } from '../job-queue.ts'
import { InProcessConsumer } from './in-process-consumer.ts'
import { Lane } from './lane.ts'

export interface InProcessJobQueueOptions {
  readonly log: Log
}

/**
 * The job queue of a process that publishes and delivers by itself. Jobs are passed by reference and
 * accepted at once; it is never away until it is stopped, and what it holds then is forgotten, as a
 * wiped broker's would be.
 */
export class InProcessJobQueue implements JobQueue {
  readonly #lanes = { fresh: new Lane(), retry: new Lane() }
  readonly #log: Log
  #isStopped = false

  constructor(options: InProcessJobQueueOptions) {
    this.#log = options.log
  }

  get isAway(): boolean {
    return this.#isStopped
  }

  async ready(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (this.#isStopped) throw new Error('the job queue is stopped')
  }

  async publish(jobs: readonly Job[]): Promise<readonly PublishFate[]> {
    if (this.#isStopped) return jobs.map(() => 'refused')
    for (const job of jobs) this.#lanes[job.queue].add(job)
    return jobs.map(() => 'accepted')
  }

  async consume(options: ConsumeOptions): Promise<JobConsumer> {
    if (this.#isStopped) throw new Error('the job queue is stopped')
    const handOut = new HandOut(options, this.#log)
    const lane = this.#lanes[options.queue]
    const consumer = new InProcessConsumer(lane, options.prefetch, handOut)
    lane.join(consumer)
    return consumer
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#lanes.fresh.stop()
    this.#lanes.retry.stop()
  }
}

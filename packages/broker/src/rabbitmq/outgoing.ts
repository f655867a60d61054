import { encodeJob, type Job, type QueueName } from '@postrider/common'
import type { Outgoing } from './publish-batch.ts'
import type { Topology } from './topology.ts'

/** Jobs on their way to their queues. */
export class OutgoingJobs implements Outgoing {
  readonly #jobs: readonly Job[]
  readonly #topology: Topology

  constructor(jobs: readonly Job[], topology: Topology) {
    this.#jobs = jobs
    this.#topology = topology
  }

  get count(): number {
    return this.#jobs.length
  }

  queueOf(index: number): string {
    return this.#topology[this.#at(index).queue]
  }

  bodyOf(index: number): Buffer {
    return encodeJob(this.#at(index))
  }

  #at(index: number): Job {
    const job = this.#jobs[index]
    if (job === undefined) throw new RangeError('no such job')
    return job
  }
}

/** A message that is no job, on its way to the dead queue, with where it lay and what is wrong with it. */
export class DeadLetter implements Outgoing {
  readonly count = 1
  readonly headers: Readonly<Record<string, string>>
  readonly #body: Buffer
  readonly #topology: Topology

  constructor(body: Buffer, from: QueueName, reason: string, topology: Topology) {
    this.headers = { 'postrider-queue': from, 'postrider-reason': reason }
    this.#body = body
    this.#topology = topology
  }

  queueOf(): string {
    return this.#topology.dead
  }

  bodyOf(): Buffer {
    return this.#body
  }
}

import type { Job } from '@postrider/common'
import type { HandOut } from '../hand-out.ts'
import type { JobConsumer, ReceivedJob } from '../job-queue.ts'
import type { Lane } from './lane.ts'

export class InProcessConsumer implements JobConsumer {
  readonly #lane: Lane
  readonly #prefetch: number
  readonly #handOut: HandOut
  #held = 0

  constructor(lane: Lane, prefetch: number, handOut: HandOut) {
    this.#lane = lane
    this.#prefetch = prefetch
    this.#handOut = handOut
  }

  /** Jobs that it may be given now. */
  get free(): number {
    return this.#prefetch - this.#held
  }

  get isLive(): boolean {
    return !this.#lane.isStopped
  }

  take(job: Job): void {
    this.#held++
    this.#handOut.give(new InProcessJob(job, this))
  }

  release(): void {
    this.#held--
    this.#lane.wake()
  }

  async cancel(): Promise<void> {
    this.#lane.leave(this)
  }
}

class InProcessJob implements ReceivedJob {
  readonly job: Job
  /** Nobody else can have had it: what a process held dies with it. */
  readonly redelivered = false
  readonly #consumer: InProcessConsumer
  #isEnded = false

  constructor(job: Job, consumer: InProcessConsumer) {
    this.job = job
    this.#consumer = consumer
  }

  get isLive(): boolean {
    return this.#consumer.isLive
  }

  ack(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#consumer.release()
  }
}

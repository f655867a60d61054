import { waitFor } from '@postrider/testkit'
import type { Job } from '@postrider/common'
import type { ReceivedJob } from '../src/index.ts'

/** Where a test's consumer puts what it is handed. */
export class Intake {
  readonly received: ReceivedJob[] = []
  readonly #acks: boolean

  /** @param options - `acks`: ack each job at once; default false */
  constructor(options: { readonly acks?: boolean } = {}) {
    this.#acks = options.acks ?? false
  }

  readonly onJob = (received: ReceivedJob): void => {
    this.received.push(received)
    if (this.#acks) received.ack()
  }

  get jobs(): Job[] {
    return this.received.map((each) => each.job)
  }

  get eventUids(): string[] {
    return this.received.map((each) => each.job.eventUid)
  }

  /** Resolves when at least that many jobs were handed out. */
  async reached(count: number): Promise<void> {
    await waitFor(() => this.received.length >= count, {
      what: `${count} jobs`,
      deadlineMs: 30_000,
    })
  }

  /** The job that was handed out at this place, counted from 0. */
  at(index: number): ReceivedJob {
    const received = this.received[index]
    if (received === undefined) throw new Error(`no job ${index} was handed out`)
    return received
  }
}

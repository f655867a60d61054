import type { Job, QueueName } from '@postrider/common'
import type { ReceivedJob } from '@postrider/broker'
import type { GateJob } from './gate.ts'

/** A job on its way through the deliverer. */
export class Flight implements GateJob {
  readonly received: ReceivedJob
  readonly job: Job
  /** The dispatch that it acts on; a taken job goes on under a new one. */
  dispatch: number
  leaseEndMs: number
  /** The bytes of `data`; null until a claim check is redeemed. */
  data: Buffer | null
  /** The job has been told to go and still counts as in flight at its destination. */
  isSending = false

  constructor(received: ReceivedJob) {
    this.received = received
    this.job = received.job
    this.dispatch = received.job.dispatch
    this.leaseEndMs = received.job.leaseEndMs
    this.data = received.job.data
  }

  get queue(): QueueName {
    return this.job.queue
  }

  get tenantUid(): string {
    return this.job.tenantUid
  }

  get destinationUid(): string {
    return this.job.destinationUid
  }

  get eventUid(): string {
    return this.job.eventUid
  }

  get receivedAt(): string {
    return this.job.receivedAt
  }

  /** It has won its row (rule 3): nobody else acts on it, whatever became of the job. */
  get isTaken(): boolean {
    return this.dispatch !== this.job.dispatch
  }

  /** The ids that every log line about it carries. */
  ids(): Record<string, unknown> {
    return {
      eventId: this.job.eventId,
      eventUid: this.job.eventUid,
      destinationUid: this.job.destinationUid,
      tenantUid: this.job.tenantUid,
      dispatch: this.dispatch,
    }
  }
}

import type { Job } from '@postrider/common'
import type { ConsumeMessage } from 'amqplib'
import type { ReceivedJob } from '../job-queue.ts'
import type { AckWindow } from './ack-window.ts'

/** A message in our hands: the broker counts it until it is acked on the channel that it came on. */
export class HeldMessage {
  readonly message: ConsumeMessage
  readonly #window: AckWindow
  /** Our side is done with it. */
  isEnded = false
  /** The broker was told by an ack of its own. */
  isAcked = false

  constructor(message: ConsumeMessage, window: AckWindow) {
    this.message = message
    this.#window = window
  }

  get redelivered(): boolean {
    return this.message.fields.redelivered
  }

  get isLive(): boolean {
    return this.#window.isOpen
  }

  ack(): void {
    if (this.isEnded) return
    this.isEnded = true
    this.#window.ended(this)
  }
}

/** A message that is a job. */
export class RabbitMqJob extends HeldMessage implements ReceivedJob {
  readonly job: Job

  constructor(job: Job, message: ConsumeMessage, window: AckWindow) {
    super(message, window)
    this.job = job
  }
}

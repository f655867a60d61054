import type { Job } from '@postrider/common'
import { Fifo } from '../fifo.ts'
import type { InProcessConsumer } from './in-process-consumer.ts'

/** The jobs of one queue and those who take them. */
export class Lane {
  readonly #jobs = new Fifo<Job>()
  readonly #consumers = new Set<InProcessConsumer>()
  #isDue = false
  #isStopped = false

  get isStopped(): boolean {
    return this.#isStopped
  }

  add(job: Job): void {
    this.#jobs.push(job)
    this.wake()
  }

  join(consumer: InProcessConsumer): void {
    this.#consumers.add(consumer)
    this.wake()
  }

  leave(consumer: InProcessConsumer): void {
    this.#consumers.delete(consumer)
  }

  /**
   * There may be something to hand out. It happens in a later turn of the event loop: never inside a
   * publish or an ack, and with room for everything else between one window of jobs and the next.
   */
  wake(): void {
    if (this.#isDue || this.#jobs.length === 0) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#handOut()
    })
  }

  stop(): void {
    this.#isStopped = true
    this.#jobs.clear()
    this.#consumers.clear()
  }

  #handOut(): void {
    for (const consumer of this.#consumers) {
      // Counted before the first: a job that is acked at once makes room in the next turn only.
      for (let free = consumer.free; free > 0; free--) {
        const job = this.#consumers.has(consumer) ? this.#jobs.shift() : undefined
        if (job === undefined) break
        consumer.take(job)
      }
    }
  }
}

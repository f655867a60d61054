import type { Outcome } from '@postrider/common'
import { Metrics } from '@postrider/telemetry'

/** Upper bounds of the attempts' durations, in seconds. */
const DURATION_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** What a deliverer is asked about when its metrics are read. */
export interface DeliveryGauges {
  /** Jobs arrived and not finished. */
  readonly held: () => number
  readonly oldestDueAgeMs: () => number
}

/** What a deliverer counts, and what it is now, for Prometheus. */
export class DeliveryMetrics {
  readonly #metrics = new Metrics()
  readonly #outcomes = this.#metrics.counter({
    name: 'outcomes_total',
    help: 'Outcomes written: what came of jobs.',
    labels: ['kind'],
  })
  readonly #success = this.#outcomes.of({ kind: 'success' })
  readonly #failed = this.#outcomes.of({ kind: 'failed' })
  readonly #deferred = this.#outcomes.of({ kind: 'deferred' })
  readonly #fault = this.#outcomes.of({ kind: 'fault' })
  readonly #seconds = this.#metrics
    .histogram({
      name: 'attempt_seconds',
      help: 'How long attempts took, from the send to the end of the answer.',
      bounds: DURATION_BOUNDS,
    })
    .of({})
  /** Jobs put back because they had been handed out before (rule 3). */
  readonly putBack = this.#metrics
    .counter({ name: 'jobs_put_back_total', help: 'Redelivered jobs that were put back unsent.' })
    .of({})
  readonly skipped = this.#metrics
    .counter({ name: 'deliveries_skipped_total', help: 'Deliveries skipped by this process.' })
    .of({})
  /** Deliveries whose outcome could not be written. */
  readonly leftToLease = this.#metrics
    .counter({
      name: 'jobs_left_to_lease_total',
      help: 'Jobs whose outcome could not be written; their leases bring them back.',
    })
    .of({})

  constructor({ held, oldestDueAgeMs }: DeliveryGauges) {
    this.#metrics
      .gauge({ name: 'jobs_held', help: 'Jobs of the window in use.' })
      .of({})
      .follow(held)
    this.#metrics
      .gauge({
        name: 'oldest_due_age_seconds',
        help: 'How long the delivery that waits longest for a job has been waiting.',
      })
      .of({})
      .follow(() => oldestDueAgeMs() / 1000)
  }

  /** Counts an outcome that is committed. */
  count(outcome: Outcome): void {
    if (outcome.kind === 'deferred') this.#deferred.add()
    else if (outcome.kind === 'fault') this.#fault.add()
    else {
      if (outcome.attempt.status === 'success') this.#success.add()
      else this.#failed.add()
      this.#seconds.observe(outcome.attempt.durationMs / 1000)
    }
  }

  /** All of them in Prometheus' text format. */
  text(): string {
    return this.#metrics.text()
  }
}

import {
  Batcher,
  cleanText,
  type DeliveryDestination,
  type Log,
  newUid,
  type Outcome,
  pause,
  type QueueName,
} from '@postrider/common'
import type { JobConsumer, JobQueue, ReceivedJob } from '@postrider/broker'
import type { Sender, SendRequest, SendResult } from '@postrider/destinations'
import type { SharedState } from '@postrider/state'
import {
  disableUsedVersion,
  putBackRedelivered,
  readEventData,
  releaseJobs,
  skipUndeliverable,
  type Store,
  takeJobs,
  writeOutcomes,
  type WrittenOutcome,
} from '@postrider/store'
import { describeAttempt } from './attempt-log.ts'
import type { DelivererSettings } from './settings.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import type { DestinationCache } from './destination-cache.ts'
import { FaultLog } from './fault-log.ts'
import { Flight } from './flight.ts'
import { Gate } from './gate.ts'
import { OpenSends, type OverdueSend } from './open-sends.ts'
import { OutcomeWriter, type PendingOutcome } from './outcome-writer.ts'
import { withPatience } from './patience.ts'
import type { PgClock } from './pg-clock.ts'
import { placeOfJob } from './place.ts'

export interface DelivererParts {
  readonly settings: DelivererSettings
  readonly store: Store
  readonly jobs: JobQueue
  readonly state: SharedState
  readonly destinations: DestinationCache
  readonly clock: PgClock
  /** The sender of a type; undefined when there is no such type. */
  readonly senderOf: (type: string) => Sender | undefined
  readonly metrics: DeliveryMetrics
  readonly log: Log
}

interface Send {
  readonly flight: Flight
  readonly type: string
}

/** A part of the window is the retries', so that neither queue can fill it alone. */
const RETRY_PART = 0.25
/** How long a destination that defers is given no more than it can take. */
const NARROW_FOR_MS = 5000
const DEFER_MS = 1000
const MAX_BATCH = 500

/**
 * Takes jobs and sees each to its end:
 *
 * consume → gate (shares) → destination → take the row where rule 3 asks for it → sign and send →
 * outcome → batched write → commit → ack.
 *
 * A job is acked only after what came of it has committed, or when it is stale. Whatever happens in
 * between (a crash, a lost channel, an outcome that cannot be written), the delivery's lease brings it
 * back.
 */
export class Deliverer {
  readonly #parts: DelivererParts
  readonly #prefetch: Readonly<Record<QueueName, number>>
  readonly #gate: Gate<Flight>
  readonly #sends: OpenSends<Send>
  readonly #outcomes: OutcomeWriter<Flight>
  readonly #takes: Batcher<Flight, Awaited<ReturnType<typeof takeJobs>>[number]>
  readonly #skips: Batcher<Flight, Awaited<ReturnType<typeof skipUndeliverable>>[number]>
  readonly #putBacks: Batcher<Flight, void>
  readonly #releases: Batcher<Flight, void>
  readonly #reads: Batcher<Flight, Buffer | null>
  readonly #faults: FaultLog
  readonly #givenUp = new AbortController()
  #consumers: JobConsumer[] = []
  #stopping = false
  #distrustUntil = 0

  constructor(parts: DelivererParts) {
    this.#parts = parts
    const { settings, store } = parts
    const { window, destinationMaxInFlight } = settings
    const retry = Math.max(1, Math.floor(window * RETRY_PART))
    this.#prefetch = { fresh: Math.max(1, window - retry), retry }
    this.#faults = new FaultLog({ log: parts.log, now: () => performance.now() })
    this.#gate = new Gate<Flight>({ prefetch: this.#prefetch, destinationMaxInFlight })
    this.#sends = new OpenSends({ limitMs: settings.sendLimitMs })
    this.#outcomes = new OutcomeWriter<Flight>({
      write: (outcomes) => writeOutcomes(store, outcomes, settings.policy),
      onWritten: (batch, written) => this.#onWritten(batch, written),
      onUnwritable: ({ owner }, error) => this.#leaveToLease(owner, error),
      log: parts.log,
      signal: this.#givenUp.signal,
    })
    this.#takes = this.#batcher('taking jobs', (flights) =>
      takeJobs(store, flights, settings.leaseMs),
    )
    this.#skips = this.#batcher('skipping', (flights) => skipUndeliverable(store, flights))
    this.#reads = this.#batcher('reading event data', (flights) => readEventData(store, flights))
    this.#putBacks = this.#batcher('putting back', async (flights) => {
      await putBackRedelivered(store, flights, settings.putBackMs)
      return flights.map(() => undefined)
    })
    this.#releases = this.#batcher('releasing jobs', async (flights) => {
      await releaseJobs(store, flights)
      return flights.map(() => undefined)
    })
  }

  async start(): Promise<void> {
    this.#consumers = [await this.#consume('fresh'), await this.#consume('retry')]
  }

  /** Jobs arrived and not finished. */
  get held(): number {
    return this.#gate.held
  }

  /** Rounds of upkeep that need no database; to be called every few seconds. */
  sweep(): void {
    for (const send of this.#sends.takeOverdue()) this.#giveUp(send)
    this.#gate.sweep()
  }

  /**
   * For `forMs` from now every job must win its row before it is sent: the job lock was lost, and
   * another process may have taken over the jobs that are here.
   */
  distrust(forMs: number): void {
    this.#distrustUntil = performance.now() + forMs
  }

  /**
   * Ends the intake, puts back what has not started, and waits until the sends in flight have ended
   * and their outcomes are written, or until `signal` aborts. Idempotent.
   *
   * @returns how many jobs were left to their leases
   */
  async stop(signal: AbortSignal): Promise<number> {
    this.#stopping = true
    await Promise.all(this.#consumers.map((consumer) => consumer.cancel()))
    for (const flight of this.#gate.takeWaiting()) void this.#release(flight) // Ends in `#finish`.
    while (this.#gate.held > 0 && !signal.aborted) await pause(5, signal)
    this.#givenUp.abort(new Error('the deliverer has stopped'))
    return this.#gate.held
  }

  async #consume(queue: QueueName): Promise<JobConsumer> {
    return await this.#parts.jobs.consume({
      queue,
      prefetch: this.#prefetch[queue],
      onJob: (received) => this.#onJob(received),
    })
  }

  #onJob(received: ReceivedJob): void {
    const flight = new Flight(received)
    const admission = this.#gate.arrive(flight)
    flight.isSending = admission === 'go'
    // Whoever puts a waiting job down must find it out of the gate's hands.
    if (admission === 'wait' && (received.redelivered || this.#stopping)) {
      this.#gate.withdraw(flight)
    }
    // Each of these ends in `#finish` and handles its own failures.
    if (received.redelivered) void this.#putBack(flight)
    else if (this.#stopping) void this.#release(flight)
    else if (admission === 'defer') this.#defer(flight)
    else if (admission === 'go') void this.#go(flight)
  }

  /**
   * A job that was told to go: everything up to its outcome. A failure here is ours; nothing was sent.
   *
   * Each step may wait for Postgres, for as long as Postgres is away, and what was true before may not
   * be true after; so each goes round again, and the send starts in a moment in which all of it is.
   */
  async #go(flight: Flight): Promise<void> {
    const { destinations } = this.#parts
    try {
      for (;;) {
        if (!flight.received.isLive && !flight.isTaken) return this.#forget(flight)
        if (this.#stopping) return await this.#release(flight)
        const destination = destinations.peek(flight.destinationUid)
        if (destination === undefined) {
          await destinations.get(flight.destinationUid)
        } else if (destination === null || destination.isDisabled) {
          if (!(await this.#mayGoOn(flight))) return
        } else if (flight.data === null) {
          if (!(await this.#redeemClaimCheck(flight))) return
        } else if (this.#mustTake(flight)) {
          if (!(await this.#take(flight))) return
        } else {
          return await this.#send(flight, destination)
        }
      }
    } catch (error) {
      this.#fault(flight, error)
    }
  }

  async #send(flight: Flight, destination: DeliveryDestination): Promise<void> {
    const { settings, clock } = this.#parts
    const { job } = flight
    const startedAtMs = clock.nowMs()
    const sent = await this.#sendUnlessGivenUp(flight, {
      destination,
      eventId: job.eventId,
      topic: job.topic,
      timeMs: job.timeMs,
      attemptTimeMs: startedAtMs,
      metadata: job.metadata,
      data: flight.data ?? NO_BYTES,
      timeoutMs: settings.timeoutMs,
    })
    if (sent === null) return
    const { result, tookMs } = sent
    this.#endSending(flight, tookMs)
    this.#settle(flight, {
      kind: 'attempted',
      attempt: {
        uid: newUid(),
        status: result.status,
        code: cleanText(result.code),
        timeMs: startedAtMs,
        durationMs: Math.round(tookMs),
        response: result.response,
      },
      retryAfterMs: result.retryAfterMs,
      disableVersion: result.disable ? destination.version : null,
    })
  }

  /**
   * Null: it was given up meanwhile. Whatever it came to is dropped, a success too: the lease tells of
   * the delivery, and its next job has perhaps been sent already.
   */
  async #sendUnlessGivenUp(
    flight: Flight,
    request: SendRequest,
  ): Promise<{ readonly result: SendResult; readonly tookMs: number } | null> {
    const { type } = request.destination
    const sender = this.#parts.senderOf(type)
    const send = { flight, type }
    this.#sends.begin(send)
    try {
      const result = sender === undefined ? NO_SUCH_TYPE : await sender.send(request)
      const tookMs = this.#sends.end(send)
      return tookMs === null ? null : { result, tookMs }
    } catch (error) {
      if (this.#sends.end(send) === null) return null
      throw error
    }
  }

  /** Its sender has broken its promise to end, and would keep the place of each such send. */
  #giveUp({ owner: { flight, type }, tookMs }: OverdueSend<Send>): void {
    this.#endSending(flight, tookMs)
    this.#leaveToLease(flight, new Error(`a sender of the type ${type} does not end its send`))
  }

  /** Rule 3: a job marked `verify`, or past half of its lease, must win its row before the send. */
  #mustTake(flight: Flight): boolean {
    const { settings, clock } = this.#parts
    const isSuspect = flight.job.verify || performance.now() < this.#distrustUntil
    if (isSuspect && !flight.isTaken) return true
    return flight.leaseEndMs - clock.nowMs() < settings.leaseMs / 2
  }

  async #take(flight: Flight): Promise<boolean> {
    const taken = await this.#takes.add(flight)
    if (taken === null) {
      this.#finish(flight)
      return false
    }
    flight.dispatch = taken.dispatch
    flight.leaseEndMs = taken.leaseEndMs
    return true
  }

  async #redeemClaimCheck(flight: Flight): Promise<boolean> {
    flight.data = await this.#reads.add(flight)
    if (flight.data !== null) return true
    // Retention has dropped the event, and the delivery with it.
    this.#finish(flight)
    return false
  }

  /**
   * Rule 5: only Postgres can say that it is not to be sent. Answers whether it is, after all: what was
   * remembered of the destination is old then, and read again.
   */
  async #mayGoOn(flight: Flight): Promise<boolean> {
    const answer = await this.#skips.add(flight)
    if (answer.kind === 'deliverable') {
      this.#parts.destinations.invalidate(flight.destinationUid)
      return true
    }
    if (answer.kind === 'skipped') {
      this.#parts.metrics.skipped.add()
      this.#parts.log.info('delivery skipped', { ...flight.ids(), reason: answer.reason })
    }
    this.#finish(flight)
    return false
  }

  async #putBack(flight: Flight): Promise<void> {
    try {
      await this.#putBacks.add(flight)
      this.#parts.metrics.putBack.add()
      this.#finish(flight)
    } catch (error) {
      this.#leaveToLease(flight, error)
    }
  }

  async #release(flight: Flight): Promise<void> {
    try {
      await this.#releases.add(flight)
      this.#finish(flight)
    } catch (error) {
      this.#leaveToLease(flight, error)
    }
  }

  #defer(flight: Flight): void {
    const { state, settings } = this.#parts
    void state // Never rejects; a hint.
      .narrowDestination(flight.destinationUid, settings.destinationMaxInFlight, NARROW_FOR_MS)
    this.#settle(flight, { kind: 'deferred', delayMs: DEFER_MS * (1 + Math.random()) })
  }

  /** Something of ours failed before anything was sent. */
  #fault(flight: Flight, error: unknown): void {
    this.#faults.tell(error, flight.ids())
    this.#endSending(flight, null)
    this.#settle(flight, {
      kind: 'fault',
      attempt: {
        uid: newUid(),
        status: 'failed',
        code: 'internal_error',
        timeMs: this.#parts.clock.nowMs(),
        durationMs: 0,
        response: null,
      },
    })
  }

  #settle(flight: Flight, outcome: Outcome): void {
    const { aborted, reason } = this.#givenUp.signal
    if (aborted && !isSuccess(outcome)) {
      // It ends because we do: that says nothing of the receiver, which may even have it.
      return this.#leaveToLease(flight, reason)
    }
    this.#outcomes.add({
      owner: flight,
      outcome: {
        eventUid: flight.job.eventUid,
        destinationUid: flight.job.destinationUid,
        receivedAt: flight.job.receivedAt,
        tenantUid: flight.job.tenantUid,
        dispatch: flight.dispatch,
        manual: flight.job.manual,
        outcome,
      },
    })
  }

  #onWritten(batch: readonly PendingOutcome<Flight>[], written: readonly WrittenOutcome[]): void {
    const { state, log, settings, metrics } = this.#parts
    batch.forEach(({ owner, outcome: { outcome } }, i) => {
      const result = written[i]
      metrics.count(outcome)
      if (outcome.kind === 'attempted') {
        const isLogged = outcome.attempt.status === 'failed' || settings.logsSuccesses
        if (isLogged && result !== undefined) describeAttempt(log, owner, outcome.attempt, result)
        if (outcome.disableVersion !== null) void this.#disable(owner, outcome.disableVersion)
      }
      this.#endSending(owner, null)
      this.#gate.finish(owner)
      owner.received.ack()
    })
    void state.releasePlaces(batch.map(({ owner }) => placeOfJob(owner.job))) // Never rejects; heals itself.
  }

  async #disable(flight: Flight, version: number): Promise<void> {
    const { store, state, destinations, log } = this.#parts
    try {
      if (!(await disableUsedVersion(store, flight.destinationUid, version))) return
      log.warn('destination disabled: it answered 410', flight.ids())
      destinations.invalidate(flight.destinationUid)
      await state.announce([{ destinationUid: flight.destinationUid }])
    } catch (error) {
      // The next try is answered 410 again.
      log.warn('the destination could not be disabled', { ...flight.ids(), error })
    }
  }

  /** The job is over and nothing came of it that must be written: stale, skipped or put back. */
  #finish(flight: Flight): void {
    this.#endSending(flight, null)
    this.#gate.finish(flight)
    flight.received.ack()
    void this.#parts.state.releasePlaces([placeOfJob(flight.job)]) // Never rejects; heals itself.
  }

  /** The channel is lost: the broker hands the job out again, and that copy is put back. */
  #forget(flight: Flight): void {
    this.#endSending(flight, null)
    this.#gate.finish(flight)
  }

  /** Nothing can be written about it now: the end of its lease brings the delivery back. */
  #leaveToLease(flight: Flight, error: unknown): void {
    this.#parts.metrics.leftToLease.add()
    const level = this.#givenUp.signal.aborted ? 'warn' : 'error'
    this.#parts.log[level]('a delivery is left to its lease', { ...flight.ids(), error })
    this.#endSending(flight, null)
    this.#gate.finish(flight)
    flight.received.ack()
  }

  /** Frees the place in flight, once, and lets the next of that destination go. */
  #endSending(flight: Flight, tookMs: number | null): void {
    if (!flight.isSending) return
    flight.isSending = false
    const next = this.#gate.sendEnded(flight, tookMs)
    if (next === null) return
    next.isSending = true
    void this.#go(next) // Ends in `#finish` and handles its own failures.
  }

  #batcher<R>(
    what: string,
    run: (flights: readonly Flight[]) => Promise<readonly R[]>,
  ): Batcher<Flight, R> {
    const { log } = this.#parts
    return new Batcher({
      maxItems: MAX_BATCH,
      concurrency: 2,
      run: (flights) =>
        withPatience(() => run(flights), { what, log, signal: this.#givenUp.signal }),
    })
  }
}

function isSuccess(outcome: Outcome): boolean {
  return outcome.kind === 'attempted' && outcome.attempt.status === 'success'
}

const NO_BYTES = Buffer.alloc(0)

const NO_SUCH_TYPE: SendResult = {
  status: 'failed',
  code: 'unsendable',
  response: null,
  retryAfterMs: null,
  disable: false,
}

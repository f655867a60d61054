import type { JobQueue } from '@postrider/broker'
import type { Log } from '@postrider/common'
import type { Config } from '@postrider/config'
import type { DestinationType, Sender } from '@postrider/destinations'
import type { SharedState } from '@postrider/state'
import {
  acquireJobLock,
  ensurePartitions,
  type JobLock,
  readClockMs,
  readDestinationsForDelivery,
  readDestinationVersions,
  releaseAllLeases,
  runMaintenance,
  type Store,
} from '@postrider/store'
import { Deliverer } from './deliverer.ts'
import { DeliveryMetrics } from './delivery-metrics.ts'
import { DestinationCache } from './destination-cache.ts'
import type { Readiness } from './health.ts'
import { withPatience } from './patience.ts'
import { PgClock } from './pg-clock.ts'
import { type Repeated, repeat } from './repeat.ts'
import { Scheduler } from './scheduler.ts'
import { delivererSettings } from './settings.ts'

export interface DeliveryParts {
  readonly config: Config
  readonly postgresUrl: string
  readonly store: Store
  readonly jobs: JobQueue
  /** The jobs are in this process: nobody else may deliver from this database meanwhile. */
  readonly ownsJobs: boolean
  readonly state: SharedState
  readonly typeOf: (type: string) => DestinationType | undefined
  readonly log: Log
  /** See `SchedulerParts`. */
  readonly graceAfterOutageMs?: number
}

/** The deliverer with all that keeps it going. */
export interface Delivery {
  /**
   * Waits for the job lock, then delivers until it is stopped.
   *
   * @throws The signal's reason, when it aborts before the lock is held
   */
  start(signal: AbortSignal): Promise<void>
  /** Ends within the stop timeout, and logs what is left by then. Idempotent. */
  stop(): Promise<void>
  readiness(): Promise<Readiness>
  /** Metrics in Prometheus' text format. */
  metrics(): string
}

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Joins the parts of a deliverer; starts nothing. The caller owns the parts and ends them after. */
export function createDelivery(parts: DeliveryParts): Delivery {
  const { config, store, jobs, state, log } = parts
  const settings = delivererSettings(config)
  const clock = new PgClock(() => readClockMs(store))
  const closing = new AbortController()
  const signedTypes = config.destinations.webhook.signing === 'ed25519' ? ['webhook'] : []
  const destinations = new DestinationCache({
    read: (uids) =>
      withPatience(() => readDestinationsForDelivery(store, uids, { signedTypes }), {
        what: 'reading destinations',
        log,
        signal: closing.signal,
      }),
    readVersions: (uids) => readDestinationVersions(store, uids),
  })
  const senders = new Map<string, Sender>()
  const senderOf = (type: string): Sender | undefined => {
    const known = senders.get(type)
    if (known !== undefined) return known
    const sender = parts.typeOf(type)?.createSender()
    if (sender !== undefined) senders.set(type, sender)
    return sender
  }
  const metrics: DeliveryMetrics = new DeliveryMetrics({
    held: () => deliverer.held,
    oldestDueAgeMs: () => scheduler.oldestDueAgeMs,
  })
  const deliverer = new Deliverer({
    settings,
    store,
    jobs,
    state,
    destinations,
    clock,
    senderOf,
    metrics,
    log,
  })
  const scheduler = new Scheduler({
    settings,
    store,
    jobs,
    state,
    log,
    ...(parts.graceAfterOutageMs === undefined
      ? {}
      : { graceAfterOutageMs: parts.graceAfterOutageMs }),
  })

  let lock: JobLock | null = null
  let isLockHeld = false
  let rounds: Repeated[] = []
  let unsubscribe: (() => void) | null = null
  let stopping: Promise<void> | null = null

  const start = async (signal: AbortSignal): Promise<void> => {
    await ensurePartitions(store.pools.work)
    await clock.sync()
    lock = await acquireJobLock(
      {
        url: parts.postgresUrl,
        mode: parts.ownsJobs ? 'exclusive' : 'shared',
        applicationName: 'postrider job lock',
        log,
        onLost: () => {
          isLockHeld = false
          deliverer.distrust(Infinity)
        },
        onRegained: () => {
          isLockHeld = true
          // Jobs from before are past half of their lease by then, and taken for that.
          deliverer.distrust(settings.leaseMs)
        },
      },
      signal,
    )
    isLockHeld = true
    if (parts.ownsJobs) {
      const released = await releaseAllLeases(store, { started: true })
      if (released > 0) log.info('took over the jobs of the process before', { count: released })
    }
    unsubscribe = state.onAnnouncement(({ destinationUid }) =>
      destinations.invalidate(destinationUid),
    )
    rounds = [
      repeat('refreshing destinations', SECOND, () => destinations.refresh(), log),
      repeat('setting the clock', 10 * SECOND, () => clock.sync(), log),
      repeat('sweeping', 5 * SECOND, () => Promise.resolve(deliverer.sweep()), log),
      repeat('maintenance', 10 * MINUTE, () => runMaintenance(store, config.retentionDays), log),
    ]
    await deliverer.start()
    scheduler.start()
  }

  const stop = async (): Promise<void> => {
    const limit = AbortSignal.timeout(config.stopTimeoutMs)
    const [left] = await Promise.all([deliverer.stop(limit), scheduler.stop()])
    if (left > 0) log.warn('stopped with jobs under way; their leases will tell', { count: left })
    closing.abort(new Error('the deliverer has stopped'))
    unsubscribe?.()
    await Promise.all(rounds.map((round) => round.stop()))
    await Promise.all([...senders.values()].map((sender) => sender.stop()))
    if (parts.ownsJobs && isLockHeld && left === 0) {
      // Jobs that were never handed out die with this process, and are known not to have started.
      await releaseAllLeases(store, { started: false }).catch((error: unknown) =>
        log.warn('leases could not be released; the next start does it', { error }),
      )
    }
    await lock?.release()
  }

  return {
    start,
    stop: () => (stopping ??= stop()),
    metrics: () => metrics.text(),
    readiness: async () => {
      const postgres = await readClockMs(store).then(
        () => 'ok',
        () => 'away',
      )
      const checks = {
        postgres,
        broker: jobs.isAway ? 'away' : 'ok',
        state: state.isAway ? 'away' : 'ok',
        job_lock: isLockHeld ? 'held' : 'waiting',
        oldest_due_age_seconds: Math.round(scheduler.oldestDueAgeMs / SECOND),
      }
      const isReady = stopping === null && postgres === 'ok' && !jobs.isAway && isLockHeld
      return { status: isReady ? 'ready' : 'unready', checks }
    },
  }
}

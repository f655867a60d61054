import type { Config } from '@postrider/config'
import type { OutcomePolicy } from '@postrider/common'

/** What the deliverer and the scheduler need of the configuration. */
export interface DelivererSettings {
  readonly window: number
  readonly destinationMaxInFlight: number
  readonly timeoutMs: number
  /** A send that goes on for longer than this is given up: its sender is broken. */
  readonly sendLimitMs: number
  readonly leaseMs: number
  /** How long a redelivered job is put back for (rule 3). */
  readonly putBackMs: number
  readonly policy: OutcomePolicy
  /** Successes are logged too: a line for each would cost more than all else that is done for it. */
  readonly logsSuccesses: boolean
}

/** By then the process that had a redelivered job has written its outcome or is dead (rule 3). */
const PUT_BACK_MARGIN_MS = 2000

/** Senders end within the timeout: far beyond it, nothing but a fault in one explains a send. */
const SEND_SLACK_MS = 30_000

export function delivererSettings(config: Config): DelivererSettings {
  const { delivery } = config
  return {
    window: delivery.window,
    destinationMaxInFlight: delivery.destinationMaxInFlight,
    timeoutMs: delivery.timeoutMs,
    sendLimitMs: delivery.timeoutMs + SEND_SLACK_MS,
    leaseMs: delivery.leaseMs,
    putBackMs: delivery.timeoutMs + PUT_BACK_MARGIN_MS,
    policy: delivery.policy,
    logsSuccesses: config.logLevel === 'debug',
  }
}

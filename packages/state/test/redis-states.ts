import { waitFor } from '@postrider/testkit'
import { RedisState, type RedisStateOptions } from '../src/index.ts'
import { limitsOf } from './places.ts'
import { recordingLog, type RecordingLog } from './recording-log.ts'

/** Long enough that a busy machine does not look like an outage. */
const PATIENT_MS = 10_000

interface Opened {
  readonly state: RedisState
  readonly log: RecordingLog
}

/** Opens states, each as another process would, and stops all of them at its end. */
export class RedisStates implements AsyncDisposable {
  readonly #opened: RedisState[] = []
  readonly #defaults: { readonly url: string; readonly keyPrefix: string }

  constructor(defaults: { readonly url: string; readonly keyPrefix: string }) {
    this.#defaults = defaults
  }

  /** A state that does not wait for anything. */
  dial(options: Partial<RedisStateOptions> = {}): Opened {
    const log = recordingLog()
    const { url, keyPrefix } = this.#defaults
    const defaults = { url, keyPrefix, limits: limitsOf(), log, commandTimeoutMs: PATIENT_MS }
    const state = new RedisState({ ...defaults, ...options })
    this.#opened.push(state)
    return { state, log }
  }

  /** A state that is connected. */
  async open(options: Partial<RedisStateOptions> = {}): Promise<Opened> {
    const opened = this.dial(options)
    await waitFor(() => !opened.state.isAway, { what: 'the connection' })
    return opened
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#opened.splice(0).map((state) => state.stop()))
  }
}

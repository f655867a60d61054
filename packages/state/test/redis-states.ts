import { RedisState, type RedisStateOptions } from '../src/index.ts'
import { limitsOf } from './places.ts'
import { recordingLog, type RecordingLog } from './recording-log.ts'
import { waitFor } from './wait-for.ts'

/** Long enough that a busy machine does not look like an outage. */
const PATIENT_MS = 10_000

/** Opens states and stops all of them at its end. */
export class RedisStates implements AsyncDisposable {
  readonly #opened: RedisState[] = []

  /** A state that does not wait for anything. */
  dial(options: Partial<RedisStateOptions> & { readonly url: string }): {
    readonly state: RedisState
    readonly log: RecordingLog
  } {
    const log = recordingLog()
    const state = new RedisState({
      limits: limitsOf(),
      log,
      commandTimeoutMs: PATIENT_MS,
      ...options,
    })
    this.#opened.push(state)
    return { state, log }
  }

  /** A state that is connected. */
  async open(
    options: Partial<RedisStateOptions> & { readonly url: string },
  ): Promise<{ readonly state: RedisState; readonly log: RecordingLog }> {
    const opened = this.dial(options)
    await waitFor('the connection', () => !opened.state.isAway)
    return opened
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#opened.splice(0).map((state) => state.stop()))
  }
}

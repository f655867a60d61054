import type { Log } from '@postrider/common'
import type { RunwayLimits, SharedState } from '../src/index.ts'

/** A lease that tests wait for. */
export const SHORT_MS = 5

/** What an adapter lends the suite. */
export interface StateHarness {
  /** A state that is empty, is not away, and shares nothing with the others; the harness stops it. */
  open(limits: RunwayLimits, log: Log): Promise<SharedState>
  /** Resolves when so much time has passed on the clock that ends places. */
  pass(ms: number): Promise<void>
  stop(): Promise<void>
  /** Sequences that the property test tries. */
  readonly numRuns: number
}

/** How much is tried, and from where chance starts. */
export interface FuzzSettings {
  readonly requests: number
  readonly seed: number
  /** Whether to say what came of it. */
  readonly isReported: boolean
}

/**
 * Those of `npm run fuzz`; without it a short run, always from the same seed, so that the gate says the
 * same about the same code.
 */
export function fuzzSettings(): FuzzSettings {
  // Tests have no configuration of their own to read them from.
  // oxlint-disable-next-line node/no-process-env
  const { FUZZ_REQUESTS, FUZZ_SEED } = process.env
  return {
    requests: Number(FUZZ_REQUESTS ?? 1000),
    seed: Number(FUZZ_SEED ?? 1),
    isReported: FUZZ_REQUESTS !== undefined,
  }
}

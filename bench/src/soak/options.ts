/** How large a run is. */
export interface SoakOptions {
  readonly events: number
  readonly destinations: number
  readonly tenants: number
  /** Where chance starts: what fails, how, and what is published. Timing is not part of it. */
  readonly seed: number
  /** The run ends after this long, whatever has become of it. */
  readonly limitMs: number
}

const USAGE =
  'SOAK_EVENTS, SOAK_DESTINATIONS, SOAK_TENANTS, SOAK_SEED and SOAK_LIMIT_SECONDS must be whole numbers'

/**
 * Reads the sizes of a run.
 *
 * @throws {Error} With one line for the user
 */
export function readSoakOptions(
  env: Readonly<Record<string, string | undefined>>,
  seed: number,
): SoakOptions {
  const read = (name: string, fallback: number): number => {
    const text = env[name] ?? String(fallback)
    if (!/^\d{1,9}$/.test(text)) throw new Error(USAGE)
    return Number(text)
  }
  const options = {
    events: read('SOAK_EVENTS', 20_000),
    destinations: read('SOAK_DESTINATIONS', 200),
    tenants: read('SOAK_TENANTS', 10),
    seed: read('SOAK_SEED', seed),
    limitMs: read('SOAK_LIMIT_SECONDS', 570) * 1000,
  }
  if (options.tenants === 0 || options.destinations % options.tenants !== 0) {
    throw new Error('SOAK_DESTINATIONS must be a multiple of SOAK_TENANTS')
  }
  return options
}

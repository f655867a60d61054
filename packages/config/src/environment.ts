import type { Settings } from './config.ts'
import { type ReadOptions, readSettings } from './read-settings.ts'

/**
 * `readSettings` of this process' own environment: the one place that looks at `process.env`.
 *
 * @throws {ConfigError} With all problems at once
 */
export function readProcessSettings(options: ReadOptions): Settings {
  return readSettings(process.env, options)
}

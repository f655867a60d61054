import type { Setting } from './setting.ts'
import { table, type Values, type ValuesOf } from './table.ts'

/** Environment variables by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads every variable of the table. What is wrong with one goes to `problems`, and its default
 * stands in, so that all problems are found at once.
 *
 * A variable that is set but empty counts as not set, as compose files leave it, unless its
 * setting says otherwise. White space around a value does not count.
 */
export function readValues(env: Environment, problems: string[]): Values {
  const group = <G extends Readonly<Record<string, Setting<unknown>>>>(settings: G): ValuesOf<G> =>
    // Object.entries forgets which key has which type; every key of G is there, read by its setting.
    Object.fromEntries(
      Object.entries(settings).map(([key, setting]) => [key, readOne(env, setting, problems)]),
    ) as ValuesOf<G>
  return {
    servers: group(table.servers),
    secrets: group(table.secrets),
    process: group(table.process),
    api: group(table.api),
    delivery: group(table.delivery),
    destinations: group(table.destinations),
  }
}

function readOne<T>(env: Environment, setting: Setting<T>, problems: string[]): T {
  const text = env[setting.name]?.trim()
  if (text === undefined || (text === '' && !setting.emptyIsValue)) return setting.fallback
  const parsed = setting.parse(text)
  if (parsed.ok) return parsed.value
  problems.push(`${setting.name} ${parsed.problem}`)
  return setting.fallback
}

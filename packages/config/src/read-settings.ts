import { crossFieldProblems } from './checks.ts'
import { ConfigError } from './config-error.ts'
import type { Secrets, Settings, Urls } from './config.ts'
import { type Environment, readValues } from './read-values.ts'
import { table, type Values } from './table.ts'
import { toConfig } from './to-config.ts'

/** Which service reads its settings: it decides what must be given. */
export type Mode = 'api' | 'delivery' | 'standalone' | 'migrate'

export interface ReadOptions {
  readonly mode: Mode
  /**
   * Supplies the secrets that the environment does not give, from where they are kept. Called only
   * when a secret is missing and nothing else is wrong. Default: a missing secret is a problem.
   */
  readonly keptSecrets?: (dataDir: string) => Secrets
}

/**
 * Reads the environment into settings, frozen through and through.
 *
 * Every value is checked in every mode, so that one environment may serve all services. The mode
 * decides what must be there: api needs everything; delivery all servers and the encryption secret;
 * migrate only Postgres; standalone only the secrets, and it leaves RABBITMQ_URL and REDIS_URL aside.
 *
 * @throws {ConfigError} With all problems at once
 */
export function readSettings(env: Environment, options: ReadOptions): Settings {
  const problems: string[] = []
  const values = readValues(env, problems)
  problems.push(...crossFieldProblems(values))
  problems.push(...missing(env, options).map((name) => `${name} is missing`))
  if (problems.length > 0) throw new ConfigError(problems)

  const isEmbedded = options.mode === 'standalone' && values.servers.postgres === null
  return deepFreeze({
    config: toConfig(values, isEmbedded),
    secrets: toSecrets(values, options),
    urls: toUrls(values, options.mode),
  })
}

const { secrets } = table
const REQUIRED: Readonly<Record<Mode, readonly { readonly name: string }[]>> = {
  api: [...Object.values(table.servers), ...Object.values(secrets)],
  delivery: [...Object.values(table.servers), secrets.encryptionSecrets],
  standalone: Object.values(secrets),
  migrate: [table.servers.postgres],
}

function missing(env: Environment, { mode, keptSecrets }: ReadOptions): string[] {
  const kept = keptSecrets === undefined ? [] : Object.values(secrets).map(({ name }) => name)
  return REQUIRED[mode]
    .map(({ name }) => name)
    .filter((name) => (env[name] ?? '').trim() === '' && !kept.includes(name))
}

function toSecrets(values: Values, { keptSecrets }: ReadOptions): Secrets {
  const given = values.secrets
  const isComplete =
    given.apiKeys.length > 0 && given.jwtSecret !== null && given.encryptionSecrets.length > 0
  const kept = isComplete ? undefined : keptSecrets?.(values.process.dataDir)
  return {
    apiKeys: given.apiKeys.length > 0 ? given.apiKeys : (kept?.apiKeys ?? []),
    jwtSecret: given.jwtSecret ?? kept?.jwtSecret ?? '',
    encryptionSecrets:
      given.encryptionSecrets.length > 0
        ? given.encryptionSecrets
        : (kept?.encryptionSecrets ?? []),
  }
}

function toUrls({ servers, destinations }: Values, mode: Mode): Urls {
  const given = { ...servers, webhookProxy: destinations.proxyUrl }
  return mode === 'standalone' ? { ...given, rabbitmq: null, redis: null } : given
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner)
    Object.freeze(value)
  }
  return value
}

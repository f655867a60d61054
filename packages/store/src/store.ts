import { Kysely, PostgresDialect } from 'kysely'
import type { Log } from '@postrider/common'
import { CredentialsCipher } from './credentials-cipher.ts'
import { endPools, openPools, type Pools, type PoolSizes } from './pools.ts'
import type { Schema } from './schema.ts'

export interface StoreOptions {
  readonly url: string
  readonly applicationName: string
  readonly poolSizes?: Partial<PoolSizes>
  /** The first encrypts, all decrypt. */
  readonly encryptionSecrets: readonly string[]
  readonly log: Log
}

/**
 * A handle on Postgres, passed as the first argument to every function of this package. Opening it
 * makes no connection; `close` ends them all.
 */
export interface Store {
  readonly pools: Pools
  /** The typed query builder, over the pool for queries. */
  readonly db: Kysely<Schema>
  readonly cipher: CredentialsCipher
  readonly log: Log
  close(): Promise<void>
}

export function openStore(options: StoreOptions): Store {
  const pools = openPools({
    url: options.url,
    applicationName: options.applicationName,
    sizes: { publish: 4, work: 8, query: 8, ...options.poolSizes },
    log: options.log,
  })
  let closing: Promise<void> | null = null
  return {
    pools,
    db: new Kysely<Schema>({ dialect: new PostgresDialect({ pool: pools.query }) }),
    cipher: new CredentialsCipher(options.encryptionSecrets),
    log: options.log,
    close: () => (closing ??= endPools(pools)),
  }
}

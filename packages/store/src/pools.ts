import { Pool, type PoolConfig } from 'pg'
import type { Log } from '@postrider/common'

/** One pool of connections for each kind of work, so that none can starve another. */
export interface Pools {
  /** Publish batches. */
  readonly publish: Pool
  /** Outcomes, taking, claims: the delivery path. */
  readonly work: Pool
  /** Lists and everything else that people ask for. */
  readonly query: Pool
}

export interface PoolSizes {
  readonly publish: number
  readonly work: number
  readonly query: number
}

export interface PoolOptions {
  readonly url: string
  /** Shown in pg_stat_activity: who holds what. */
  readonly applicationName: string
  readonly sizes: PoolSizes
  readonly log: Log
}

const SECOND = 1000

/**
 * Opens the pools; connections are made when first needed. The caller ends them with `endPools`.
 *
 * Every session has limits, so that a lost client or a lock never holds rows for hours. The client's
 * own `query_timeout` lies above the server's: it only speaks when the server cannot (a half-open
 * connection), and then the connection is dropped.
 */
export function openPools(options: PoolOptions): Pools {
  const pool = (max: number, statementTimeoutMs: number, extra: string): Pool => {
    const config: PoolConfig = {
      connectionString: options.url,
      application_name: options.applicationName,
      max,
      connectionTimeoutMillis: 5 * SECOND,
      idleTimeoutMillis: 60 * SECOND,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10 * SECOND,
      statement_timeout: statementTimeoutMs,
      lock_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: 30 * SECOND,
      query_timeout: statementTimeoutMs + 5 * SECOND,
      options: `-c timezone=UTC -c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3 ${extra}`,
    }
    const opened = new Pool(config)
    // An idle connection that is cut emits here; without a listener it would end the process. The
    // pool has already dropped the connection, so there is nothing to do but say so.
    opened.on('error', (error) => options.log.warn('postgres connection lost', { error }))
    // A connection that is cut while it is checked out emits on the client, beside failing its query;
    // that failure is what its user acts on.
    opened.on('connect', (client) => client.on('error', () => undefined))
    return opened
  }
  // The statements of the delivery path name their rows by key. Statistics of a table that grows by
  // the second cannot be trusted to see that, so plans that read whole partitions are ruled out.
  const byKey = '-c enable_hashjoin=off -c enable_mergejoin=off -c enable_seqscan=off -c jit=off'
  return {
    publish: pool(options.sizes.publish, 15 * SECOND, byKey),
    work: pool(options.sizes.work, 15 * SECOND, byKey),
    query: pool(options.sizes.query, 5 * SECOND, '-c jit=off'),
  }
}

/** Waits for the connections in use, then closes all. */
export async function endPools(pools: Pools): Promise<void> {
  await Promise.all([pools.publish.end(), pools.work.end(), pools.query.end()])
}

/**
 * Type parsers for hot statements: every value stays the text that Postgres sent, but for numbers and
 * booleans. Times and uids only travel back to Postgres, so parsing them would be work for nothing.
 */
export const RAW_TYPES = {
  getTypeParser: (oid: number): ((value: string) => unknown) => {
    switch (oid) {
      case OID.int4:
      case OID.int8:
      case OID.float8:
        return Number
      case OID.bool:
        return (value) => value === 't'
      case OID.bytea:
        return (value) => Buffer.from(value.slice(2), 'hex')
      case OID.json:
      case OID.jsonb:
        return JSON.parse
      default:
        return (value) => value
    }
  },
}

/** Types of pg_catalog.pg_type, which never change. */
const OID = { bool: 16, bytea: 17, int8: 20, int4: 23, json: 114, float8: 701, jsonb: 3802 }

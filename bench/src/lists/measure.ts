import { createHash } from 'node:crypto'
import { openStore, type PageRequest, type Store } from '@postrider/store'
import { silentLog } from '@postrider/testkit'
import type { PoolClient } from 'pg'
import type { Query } from './queries.ts'

/** What reading one page costs, in milliseconds. */
export interface Cost {
  readonly rows: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const MIN_READS = 9
const MAX_READS = 60
const READ_FOR_MS = 250
const WARM_UP = 6

/** Reads the page again and again, a while, on the one connection that the store has. */
export async function measure(store: Store, query: Query, request: PageRequest): Promise<Cost> {
  let rows = 0
  // Statements that are prepared get their final plan with the sixth execution.
  for (let i = 0; i < WARM_UP; i++) rows = await query.read(store, request)
  const timesMs: number[] = []
  const until = performance.now() + READ_FOR_MS
  while (timesMs.length < MIN_READS || (timesMs.length < MAX_READS && performance.now() < until)) {
    const startedAt = performance.now()
    await query.read(store, request)
    timesMs.push(performance.now() - startedAt)
  }
  timesMs.sort((a, b) => a - b)
  return { rows, p50Ms: percentile(timesMs, 50), p99Ms: percentile(timesMs, 99) }
}

/**
 * A store with one connection.
 *
 * @param isPrepared - every statement is prepared once: what remains is what the rows cost. Otherwise
 *   each is planned anew, as the service does.
 */
export function openWarmStore(url: string, isPrepared: boolean): Store {
  const store = openStore({
    url,
    applicationName: 'bench lists',
    poolSizes: { query: 1 },
    encryptionSecrets: ['another one of at least thirty-two characters'],
    log: silentLog,
  })
  if (isPrepared) store.pools.query.on('connect', prepareEverything)
  return store
}

function prepareEverything(client: PoolClient): void {
  const query = client.query.bind(client) as (config: object) => unknown
  const prepared = (text: string, values?: readonly unknown[]): unknown =>
    query({ name: createHash('sha1').update(text).digest('hex'), text, values })
  Object.assign(client, { query: prepared })
}

function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? NaN
}

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

const MIN_ROUNDS = 9
const MAX_ROUNDS = 40
const READ_FOR_MS = 600
const WARM_UP = 6

/**
 * Reads the page from each store in turn, again and again, a while: whatever else the machine does in
 * the meantime, it does to all of them.
 */
export async function measure(
  stores: readonly Store[],
  query: Query,
  request: PageRequest,
): Promise<Cost[]> {
  // Statements that are prepared get their final plan with the sixth execution.
  for (let i = 0; i < WARM_UP; i++) for (const store of stores) await query.read(store, request)
  const runs = stores.map((store) => ({ store, rows: 0, timesMs: [] as number[] }))
  const until = performance.now() + READ_FOR_MS
  for (let i = 0; i < MAX_ROUNDS && (i < MIN_ROUNDS || performance.now() < until); i++) {
    for (const run of runs) {
      const startedAt = performance.now()
      run.rows = await query.read(run.store, request)
      run.timesMs.push(performance.now() - startedAt)
    }
  }
  return runs.map(({ rows, timesMs }) => {
    const sorted = timesMs.toSorted((a, b) => a - b)
    return { rows, p50Ms: percentile(sorted, 50), p99Ms: percentile(sorted, 99) }
  })
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
  if (isPrepared) store.pools.query.on('connect', (client) => void prepareEverything(client))
  return store
}

async function prepareEverything(client: PoolClient): Promise<void> {
  const query = client.query.bind(client) as (config: object) => Promise<unknown>
  const prepared = (text: string, values?: readonly unknown[]): unknown =>
    query({ name: createHash('sha1').update(text).digest('hex'), text, values })
  Object.assign(client, { query: prepared })
  // Left to itself Postgres plans a statement anew whenever it thinks that this pays.
  await query({ text: 'set plan_cache_mode = force_generic_plan' })
}

function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? NaN
}

import type { Store } from '../store.ts'

/** Postgres' clock, Unix milliseconds. */
export async function readClockMs(store: Store): Promise<number> {
  const { rows } = await store.pools.work.query<{ now_ms: number }>({
    name: 'read-clock',
    text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms',
  })
  return rows[0]?.now_ms ?? Date.now()
}

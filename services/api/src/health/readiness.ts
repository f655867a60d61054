import { checkSchema, oldestDueAgeSeconds, SchemaMismatchError } from '@postrider/store'
import type { ApiContext } from '../context.ts'

/** The body of /readyz. */
export interface Readiness {
  readonly status: 'ready' | 'unready'
  readonly checks: {
    readonly postgres: 'ok' | 'away'
    readonly schema: 'ok' | 'mismatch' | 'unknown'
    readonly broker: 'ok' | 'away'
    readonly state: 'ok' | 'away'
    /** How long the delivery that waits longest could have been sent already; null: unknown. */
    readonly oldest_due_age_seconds: number | null
  }
}

/**
 * Whether the api can do its work: it needs Postgres with a schema that serves it. A broker or a
 * shared state that is away is told, and costs nothing but speed.
 */
export async function readiness(context: ApiContext): Promise<Readiness> {
  const { store, jobs, state } = context
  const schema = await checkSchema(store.pools.query).then(
    () => 'ok' as const,
    (error: unknown) => (error instanceof SchemaMismatchError ? 'mismatch' : 'unknown'),
  )
  const age = schema === 'ok' ? await oldestDueAgeSeconds(store).catch(() => null) : null
  return {
    status: schema === 'ok' && !context.isStopping() ? 'ready' : 'unready',
    checks: {
      postgres: schema === 'unknown' ? 'away' : 'ok',
      schema,
      broker: jobs.isAway ? 'away' : 'ok',
      state: state.isAway ? 'away' : 'ok',
      oldest_due_age_seconds: age,
    },
  }
}

import { Client } from 'pg'
import { type Log, pause } from '@postrider/common'

/**
 * The advisory lock on the jobs of a database. A process with in-process jobs holds it alone, because
 * no other process could know which jobs it has; deliverers with a broker share it. So the two kinds
 * never run on one database at once.
 */
const JOB_LOCK = '7700000000003'

export interface JobLockOptions {
  readonly url: string
  readonly mode: 'exclusive' | 'shared'
  readonly applicationName: string
  readonly log: Log
  /**
   * The session that held the lock is gone (Postgres restarted, the connection was cut). The lock is
   * being taken again; until `onRegained`, another process may have it.
   */
  readonly onLost: () => void
  readonly onRegained: () => void
}

/** A held job lock; `release` gives it up. */
export interface JobLock {
  release(): Promise<void>
}

const POLL_MS = 500

/**
 * Waits until the lock is free and takes it, for as long as the process lives or until it is
 * released. While it waits it says, once, who has it. Survives the loss of its connection by taking
 * the lock again.
 *
 * @param signal - gives up waiting
 * @throws The signal's reason, when it aborts first
 */
export async function acquireJobLock(
  options: JobLockOptions,
  signal: AbortSignal,
): Promise<JobLock> {
  const released = new AbortController()
  const waiting = AbortSignal.any([signal, released.signal])
  let client = await takeLock(options, waiting)

  const watch = (held: Client): void => {
    held.once('end', () => {
      if (released.signal.aborted) return
      options.log.warn('the job lock was lost with its connection; taking it again')
      options.onLost()
      void regain() // Ends only with the lock or with a release.
    })
  }
  const regain = async (): Promise<void> => {
    try {
      client = await takeLock(options, released.signal)
    } catch {
      return // Released: whoever released does not want it any more.
    }
    watch(client)
    options.log.info('the job lock is held again')
    options.onRegained()
  }
  watch(client)
  return {
    release: async () => {
      released.abort(new Error('released'))
      await endQuietly(client)
    },
  }
}

async function takeLock(options: JobLockOptions, signal: AbortSignal): Promise<Client> {
  let told = ''
  for (;;) {
    signal.throwIfAborted()
    const client = new Client({
      connectionString: options.url,
      application_name: options.applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 5000,
      // A holder whose machine is gone says nothing: Postgres has to ask, or the lock is held for hours.
      options: '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3',
    })
    // Without a listener a cut connection would end the process; `end` follows and is what counts.
    client.on('error', () => undefined)
    try {
      await client.connect()
      const fn = options.mode === 'shared' ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'
      const { rows } = await client.query<{ held: boolean }>(`select ${fn}(${JOB_LOCK}) as held`)
      const isHeld = rows[0]?.held === true
      // Nobody waits for it any more when the signal has aborted meanwhile: kept, it would be for ever.
      if (isHeld && !signal.aborted) return client
      if (!isHeld) {
        const holder = await readHolder(client)
        if (holder !== told) options.log.warn('waiting for the job lock', { heldBy: holder })
        told = holder
      }
    } catch (error) {
      options.log.warn('the job lock cannot be asked for', { error })
    }
    await endQuietly(client)
    await pause(POLL_MS, signal)
  }
}

async function readHolder(client: Client): Promise<string> {
  const { rows } = await client.query<{ holder: string }>(
    `select format('%s (pid %s, %s, since %s)', a.application_name, a.pid,
       coalesce(host(a.client_addr), 'local'), to_char(a.backend_start, 'YYYY-MM-DD HH24:MI:SS TZ')) as holder
     from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.granted and l.database = (
         select oid from pg_database where datname = current_database())
       and ((l.classid::bigint << 32) | l.objid::bigint) = ${JOB_LOCK}
     limit 1`,
  )
  return rows[0]?.holder ?? 'somebody who is just leaving'
}

async function endQuietly(client: Client): Promise<void> {
  await client.end().catch(() => undefined) // The connection is gone either way.
}

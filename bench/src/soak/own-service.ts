import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { privatePostgres } from '@postrider/testkit'
import { API_KEY, SERVICE_ENVIRONMENT } from '../service-environment.ts'
import { TIMEOUT_MS } from './timing.ts'

/** A Postrider of the run's own, in a process of its own: it shares no event loop with the receivers. */
export interface OwnService {
  readonly url: string
  readonly key: string
  /** What it logged as an error, line by line. */
  readonly errors: readonly string[]
  /** Stops it and its Postgres. Idempotent. */
  stop(): Promise<void>
}

const MAIN = fileURLToPath(new URL('../../../services/standalone/dist/main.js', import.meta.url))
const READY = /answers on (http:\/\/127\.0\.0\.1:\d+)/
const STOP_LIMIT_MS = 45_000

/**
 * Starts the standalone service on a Postgres of its own.
 *
 * @param env - what it has to know of its receivers
 * @throws {Error} With what it printed, when it ends before it is ready
 */
export async function startOwnService(
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<OwnService> {
  const postgres = await privatePostgres()
  const child = spawn(process.execPath, [MAIN], {
    // Nothing of this process' environment, in which there may be settings.
    env: {
      PATH: process.env['PATH'] ?? '',
      POSTGRES_URL: postgres.url,
      ...SERVICE_ENVIRONMENT,
      MAX_DESTINATIONS_PER_TENANT: '1000',
      DELIVERY_TIMEOUT_SECONDS: String(TIMEOUT_MS / 1000),
      OUTCOME_GRACE_SECONDS: '5',
      LEASE_SECONDS: '60',
      RETRY_SCHEDULE: '1,1,1',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines = linesOf(child)
  const exited = once(child, 'exit')
  let stopped: Promise<void> | null = null
  const stop = async (): Promise<void> => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
    child.kill('SIGTERM')
    await exited
    clearTimeout(timer)
    await postgres[Symbol.asyncDispose]()
  }
  const service = {
    url: '',
    key: API_KEY,
    get errors() {
      return lines.all.filter((line) => /"level":"error"/.test(line))
    },
    async stop() {
      stopped ??= stop()
      await stopped
    },
  }
  try {
    const ended = exited.then(() => {
      throw new Error(`the service did not start:\n${lines.all.join('\n')}`)
    })
    const [, url = ''] = await Promise.race([lines.match(READY, signal), ended])
    return Object.assign(service, { url })
  } catch (error) {
    await service.stop()
    throw error
  }
}

interface Lines {
  readonly all: readonly string[]
  /** Resolves with the first line that matches. */
  match(pattern: RegExp, signal: AbortSignal): Promise<RegExpExecArray>
}

function linesOf(child: ChildProcess): Lines {
  const all: string[] = []
  const watchers = new Set<(line: string) => void>()
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      all.push(...lines)
      for (const watch of watchers) lines.forEach(watch)
    })
  }
  return {
    all,
    match: (pattern, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        watchers.add((line) => {
          const match = pattern.exec(line)
          if (match !== null) resolve(match)
        })
      }),
  }
}

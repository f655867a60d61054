import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { isRunning, signal, waitForExit } from '../process.ts'
import { ServerError } from '../server-error.ts'
import type { Server } from '../server.ts'
import { complaints, logFileOf, startProcess, type StartResult } from '../start-process.ts'
import { waitUntil } from '../wait.ts'
import { findBinaries } from './binaries.ts'
import { type Cluster, openCluster, ROLE } from './cluster.ts'
import { findPostmaster } from './pid-file.ts'
import { answers } from './probe.ts'
import { stepDown } from './step-down.ts'

export interface PostgresOptions {
  /** Holds cluster, password and log; made when missing; must be on a local disk. */
  readonly directory: string
  /** Default: a free port, kept over restarts of this object. */
  readonly port?: number
  /**
   * False for tests: no fsync, so a crash of the *machine* may cost the cluster. The death of the process
   * still loses nothing that was committed. Default true.
   */
  readonly isDurable?: boolean
}

/** Crash recovery of a large cluster takes its time, and must not be answered with a second start. */
const READY_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 30_000
const START_TRIES = 10

/**
 * What a start says when the cause passes by itself: the backends of a killed postmaster still hold its
 * memory, or somebody else starts on this directory at this moment.
 */
const PASSING = /shared memory block|lock file .* already exists/
const PORT_TAKEN = /could not bind/

/** PostgreSQL from the dependencies, on loopback, with password authentication. */
export class PostgresServer implements Server {
  readonly #options: PostgresOptions
  #cluster: Cluster | null = null
  #port: number | null
  #pid: number | null = null
  #isAdopted = false

  constructor(options: PostgresOptions) {
    this.#options = options
    this.#port = options.port ?? null
  }

  get url(): string {
    if (this.#cluster === null || this.#port === null) {
      throw new ServerError('PostgreSQL has not been started.')
    }
    return urlOf(this.#cluster, this.#port)
  }

  get pid(): number | null {
    return this.#pid !== null && isRunning(this.#pid) ? this.#pid : null
  }

  /** The server ran already when `start` came: somebody else may be using it. */
  get isAdopted(): boolean {
    return this.#isAdopted
  }

  async start(): Promise<void> {
    const [binaries, prefix] = await Promise.all([findBinaries(), stepDown()])
    this.#cluster = await openCluster(this.#options.directory, binaries, prefix)
    let said = ''
    for (let tries = 0; tries < START_TRIES; tries++) {
      this.#isAdopted = await this.#adopt(this.#cluster)
      if (this.#isAdopted) return
      const port = this.#port ?? (await freePort())
      const result = await this.#spawn(this.#cluster, [...prefix, binaries.postgres], port)
      if (result.kind === 'ready') {
        this.#pid = result.pid
        this.#port = port
        return
      }
      said = result.said
      // A port that clients know already cannot be exchanged for another one.
      const mayMove = this.#port === null && PORT_TAKEN.test(said)
      if (!mayMove && !PASSING.test(said)) break
    }
    const log = logFileOf(this.#options.directory)
    throw new ServerError(`PostgreSQL did not start: ${complaints(said)} (log: ${log})`)
  }

  async stop(): Promise<void> {
    // SIGINT is PostgreSQL's fast shutdown: sessions are ended, everything committed is written out.
    await this.#end('SIGINT')
  }

  async kill(name: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.#end(name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Takes over the server that runs on the cluster; ends it when it runs but never answers. */
  async #adopt(cluster: Cluster): Promise<boolean> {
    const found = await waitUntil(async () => {
      const postmaster = await findPostmaster(cluster.path)
      if (postmaster === null) return 'none'
      if (postmaster.port === 0) return null
      return (await answers(urlOf(cluster, postmaster.port))) ? postmaster : null
    }, READY_DEADLINE_MS)
    if (found === 'none') return false
    if (found === null) {
      await this.stop()
      return false
    }
    this.#pid = found.pid
    this.#port = found.port
    return true
  }

  async #spawn(
    cluster: Cluster,
    [command = '', ...args]: readonly string[],
    port: number,
  ): Promise<StartResult> {
    return startProcess({
      command,
      args: [...args, '-D', cluster.path, '-p', String(port), ...this.#settings()],
      cwd: cluster.path,
      directory: this.#options.directory,
      isReady: () => answers(urlOf(cluster, port)),
      deadlineMs: READY_DEADLINE_MS,
    })
  }

  #settings(): string[] {
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
      log_min_messages: 'warning',
      ...(this.#options.isDurable === false ? { fsync: 'off', full_page_writes: 'off' } : {}),
    }
    return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  }

  async #end(name: NodeJS.Signals): Promise<void> {
    // An object that never started anything can end what others left on its directory.
    const home = await realpath(this.#options.directory).catch(() => this.#options.directory)
    const pid = (await findPostmaster(join(home, 'cluster')))?.pid ?? this.pid
    this.#pid = null
    if (pid === null) return
    signal(pid, name)
    if (await waitForExit(pid, STOP_DEADLINE_MS)) return
    signal(pid, 'SIGQUIT') // skips the last checkpoint; the next start recovers from the log instead
    if (await waitForExit(pid, STOP_DEADLINE_MS)) return
    throw new ServerError(`PostgreSQL (process ${pid}) does not end.`)
  }
}

function urlOf(cluster: Cluster, port: number): string {
  return `postgres://${ROLE}:${cluster.password}@127.0.0.1:${port}/${ROLE}`
}

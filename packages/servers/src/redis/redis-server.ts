import { access, constants, mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { isRunning, signal, waitForExit, wasStartedWith } from '../process.ts'
import { ServerError } from '../server-error.ts'
import type { Server } from '../server.ts'
import { complaints, logFileOf, startProcess } from '../start-process.ts'
import { waitUntil } from '../wait.ts'
import { isRedisServing } from './probe.ts'

export interface RedisOptions {
  /** Holds pid file and log; nothing else is kept. */
  readonly directory: string
  /** Default: a free port, kept over restarts of this object. */
  readonly port?: number
}

const PLACES = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
const READY_DEADLINE_MS = 15_000
const STOP_DEADLINE_MS = 10_000
const START_TRIES = 5
const DATABASES = 16

/** The installed redis-server, or null. */
export async function findRedis(): Promise<string | null> {
  for (const place of PLACES) {
    const path = join(place, 'redis-server')
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return null
}

/**
 * Redis on loopback, in memory only: a restart comes back empty, which is all that Postrider may expect
 * of it. 16 databases, so that users of one server can stay apart.
 */
export class RedisServer implements Server {
  readonly #options: RedisOptions
  #port: number | null
  #pid: number | null = null

  constructor(options: RedisOptions) {
    this.#options = options
    this.#port = options.port ?? null
  }

  get url(): string {
    if (this.#port === null) throw new ServerError('Redis has not been started.')
    return `redis://127.0.0.1:${this.#port}`
  }

  get pid(): number | null {
    return this.#pid !== null && isRunning(this.#pid) ? this.#pid : null
  }

  async start(): Promise<void> {
    const command = await findRedis()
    if (command === null) throw new ServerError('redis-server is not installed.')
    await mkdir(this.#options.directory, { recursive: true, mode: 0o700 })
    const directory = await realpath(this.#options.directory)
    let said = ''
    for (let tries = 0; tries < START_TRIES; tries++) {
      if (await this.#adopt(directory)) return
      const port = this.#port ?? (await freePort())
      await writeFile(join(directory, 'port'), String(port))
      const result = await startProcess({
        command,
        args: argumentsOf(directory, port),
        cwd: directory,
        directory,
        isReady: () => isRedisServing(port),
        deadlineMs: READY_DEADLINE_MS,
      })
      if (result.kind === 'ready') {
        this.#pid = result.pid
        this.#port = port
        return
      }
      said = result.said
      if (this.#port !== null || !said.includes('Address already in use')) break
    }
    throw new ServerError(`Redis did not start: ${complaints(said)} (log: ${logFileOf(directory)})`)
  }

  async stop(): Promise<void> {
    await this.kill('SIGTERM')
  }

  async kill(name: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const directory = await realpath(this.#options.directory).catch(() => this.#options.directory)
    const pid = (await findRunning(directory)) ?? this.pid
    this.#pid = null
    if (pid === null) return
    signal(pid, name)
    if (await waitForExit(pid, STOP_DEADLINE_MS)) return
    signal(pid, 'SIGKILL') // it keeps nothing that an orderly end would save
    await waitForExit(pid, STOP_DEADLINE_MS)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #adopt(directory: string): Promise<boolean> {
    const pid = await findRunning(directory)
    if (pid === null) return false
    const port = Number(await readFile(join(directory, 'port'), 'utf8').catch(() => '0'))
    const isUp = await waitUntil(
      async () => ((await isRedisServing(port)) ? true : null),
      READY_DEADLINE_MS,
    )
    if (isUp === null) {
      await this.kill()
      return false
    }
    this.#pid = pid
    this.#port = port
    return true
  }
}

function argumentsOf(directory: string, port: number): string[] {
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: directory,
    databases: String(DATABASES),
    save: '',
    appendonly: 'no',
    pidfile: pidFileOf(directory),
    // By its arguments we know it again; Redis would otherwise write a title over them.
    'set-proc-title': 'no',
  }
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
}

function pidFileOf(directory: string): string {
  return join(directory, 'redis.pid')
}

async function findRunning(directory: string): Promise<number | null> {
  const file = pidFileOf(directory)
  const pid = Number(await readFile(file, 'utf8').catch(() => '0'))
  return pid > 0 && (await wasStartedWith(pid, file)) ? pid : null
}

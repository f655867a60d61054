import { execFile } from 'node:child_process'
import { access, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { freePort } from '../free-port.ts'
import { isRunning, signal, waitForExit, wasStartedWith } from '../process.ts'
import { ServerError } from '../server-error.ts'
import type { Server } from '../server.ts'
import { complaints, logFileOf, startProcess } from '../start-process.ts'
import { waitUntil } from '../wait.ts'
import { USER } from './definitions.ts'
import { findEpmd, startEpmd, stopEpmd } from './epmd.ts'
import { nodeEnvironment, nodeFiles, RABBITMQ_SERVER, RABBITMQCTL } from './node-environment.ts'
import { writeSettings } from './node-settings.ts'
import { isRabbitMqServing } from './probe.ts'

export interface RabbitMqOptions {
  /** Holds everything of the node. */
  readonly directory: string
  /** Default: a free port, kept over restarts of this object. */
  readonly port?: number
  /** Made at every start. Default: `/` alone, which is always there. */
  readonly vhosts?: readonly string[]
}

const run = promisify(execFile)

const READY_DEADLINE_MS = 90_000
const STOP_DEADLINE_MS = 30_000
const START_TRIES = 5

/** A private RabbitMQ node of Debian's rabbitmq-server, on loopback, without plugins. */
export class RabbitMqServer implements Server {
  readonly #options: RabbitMqOptions
  #password: string | null = null
  #port: number | null
  #pid: number | null = null

  constructor(options: RabbitMqOptions) {
    this.#options = options
    this.#port = options.port ?? null
  }

  /** Of the vhost `/`; another one is the url's path. */
  get url(): string {
    if (this.#port === null || this.#password === null) {
      throw new ServerError('RabbitMQ has not been started.')
    }
    return `amqp://${USER}:${this.#password}@127.0.0.1:${this.#port}`
  }

  get pid(): number | null {
    return this.#pid !== null && isRunning(this.#pid) ? this.#pid : null
  }

  async start(): Promise<void> {
    await access(RABBITMQ_SERVER).catch((cause: unknown) => {
      throw new ServerError('rabbitmq-server is not installed.', { cause })
    })
    await mkdir(this.#options.directory, { recursive: true, mode: 0o700 })
    const directory = await realpath(this.#options.directory)
    let said: string | null = null
    for (let tries = 0; tries < START_TRIES; tries++) {
      if (await this.#adopt(directory)) return
      const port = this.#port ?? (await freePort())
      said = await this.#spawn(directory, port)
      if (said === null) return
      if (this.#port !== null || !said.includes('eaddrinuse')) break
    }
    throw new ServerError(
      `RabbitMQ did not start: ${complaints(said ?? '')} (log: ${logFileOf(directory)})`,
    )
  }

  async stop(): Promise<void> {
    await this.kill('SIGTERM')
    await stopEpmd(await this.#home())
  }

  async kill(name: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const pid = (await findNode(await this.#home())) ?? this.pid
    this.#pid = null
    if (pid === null) return
    signal(pid, name)
    if (await waitForExit(pid, STOP_DEADLINE_MS)) return
    signal(pid, 'SIGKILL')
    await waitForExit(pid, STOP_DEADLINE_MS)
  }

  /**
   * Forgets every queue and message, like a lost disk; a node that runs is killed first. The next
   * `start()` is a new node on the same port, with the same user and vhosts.
   */
  async wipe(): Promise<void> {
    await this.kill()
    await rm(nodeFiles(await this.#home()).data, { recursive: true, force: true, maxRetries: 10 })
  }

  /** Runs rabbitmqctl on this node (about 0.4 s) and returns what it printed. */
  async control(args: readonly string[]): Promise<string> {
    const directory = await this.#home()
    const epmd = await findEpmd(directory)
    if (epmd === null) throw new ServerError('RabbitMQ has not been started.')
    const env = nodeEnvironment(directory, { epmdPort: epmd.port })
    const { stdout } = await run(RABBITMQCTL, [...args], { env, cwd: directory })
    return stdout
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #home(): Promise<string> {
    return realpath(this.#options.directory).catch(() => this.#options.directory)
  }

  async #adopt(directory: string): Promise<boolean> {
    const pid = await findNode(directory)
    if (pid === null) return false
    const files = nodeFiles(directory)
    const port = Number(await readFile(files.port, 'utf8').catch(() => '0'))
    const state = await waitUntil(async () => {
      if (!isRunning(pid)) return 'ended'
      return (await isRabbitMqServing(port)) ? 'ready' : null
    }, READY_DEADLINE_MS)
    if (state !== 'ready') {
      await this.kill()
      return false
    }
    this.#password = await readFile(files.password, 'utf8')
    this.#pid = pid
    this.#port = port
    return true
  }

  /** Starts a node; answers null when it is ready, else with what it said. */
  async #spawn(directory: string, port: number): Promise<string | null> {
    const password = await writeSettings(directory, port, ['/', ...(this.#options.vhosts ?? [])])
    const files = nodeFiles(directory)
    await writeFile(files.port, String(port))
    await rm(files.pid, { force: true })
    const epmdPort = await startEpmd(directory)
    const result = await startProcess({
      command: RABBITMQ_SERVER,
      args: [],
      env: nodeEnvironment(directory, { epmdPort, distributionPort: await freePort() }),
      cwd: directory,
      directory,
      isReady: () => isRabbitMqServing(port),
      deadlineMs: READY_DEADLINE_MS,
    })
    if (result.kind === 'ended') {
      await this.stop()
      return result.said
    }
    // The program that was started is a shell around the node.
    this.#pid = await findNode(directory)
    this.#password = password
    this.#port = port
    return null
  }
}

async function findNode(directory: string): Promise<number | null> {
  const pid = Number(await readFile(nodeFiles(directory).pid, 'utf8').catch(() => '0'))
  return pid > 0 && (await wasStartedWith(pid, nodeFiles(directory).home)) ? pid : null
}

import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A service as a process of its own, the way it is deployed: its built main. */
export interface ServiceProcess {
  /** Where its HTTP server answers, without a trailing slash. */
  readonly url: string
  /** Everything it printed so far. */
  readonly output: string
  /** SIGTERM; resolves with the exit code. Idempotent. */
  stop(): Promise<number | null>
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
}

export type ServiceName = 'api' | 'delivery' | 'standalone'

/** What each prints once it is ready, with its port in the first group. */
const READY: Readonly<Record<ServiceName, RegExp>> = {
  api: /"message":"listening".*?"port":(\d+)|"port":(\d+).*?"message":"listening"/,
  delivery: /"message":"delivering".*?"port":(\d+)|"port":(\d+).*?"message":"delivering"/,
  standalone: /answers on http:\/\/127\.0\.0\.1:(\d+)/,
}

const START_DEADLINE_MS = 60_000

/**
 * Starts a service and resolves when it is ready.
 *
 * @throws {Error} With what it printed, when it ends or is not ready within a minute
 */
export async function startProcess(
  name: ServiceName,
  env: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const main = fileURLToPath(new URL(`../../${name}/dist/main.js`, import.meta.url))
  const child = spawn(process.execPath, [main], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => printed.push(text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => printed.push(text))
  const port = await new Promise<string>((resolve, reject) => {
    const fail = (why: string): void => {
      finish()
      child.kill('SIGKILL')
      reject(new Error(`${name} ${why}:\n${printed.join('')}`))
    }
    const look = (): void => {
      const match = READY[name].exec(printed.join(''))
      if (match === null) return
      finish()
      resolve(match[1] ?? match[2] ?? '')
    }
    const onExit = (code: number | null): void => fail(`ended with code ${code}`)
    const timer = setTimeout(() => fail('was not ready in time'), START_DEADLINE_MS)
    const finish = (): void => {
      clearTimeout(timer)
      child.off('exit', onExit)
      child.stdout.off('data', look)
    }
    child.on('exit', onExit)
    child.stdout.on('data', look)
  })
  return {
    url: `http://127.0.0.1:${port}`,
    get output() {
      return printed.join('')
    },
    stop: () => end(child, 'SIGTERM'),
    kill: async () => void (await end(child, 'SIGKILL')),
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  child.kill(signal)
  return await exited
}

import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { ServerError } from './server-error.ts'
import { waitUntil } from './wait.ts'

const run = promisify(execFile)

/** A log that has grown beyond this is begun anew at the next start. */
const LOG_LIMIT_BYTES = 16 * 1024 * 1024

/** Whether the process is alive. One that ended and was not reaped by its parent yet is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: alive, but somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  try {
    // The state stands behind the command's name, which may itself contain parentheses.
    return !/\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return !existsSync('/proc/self/stat') // no /proc on this system, or the process ended just now
  }
}

/**
 * Whether the process is alive and was started with this argument. Pids are reused, and a pid file
 * outlives a reboot: no process is signalled or adopted before this was asked.
 */
export async function wasStartedWith(pid: number, argument: string): Promise<boolean> {
  if (!isRunning(pid)) return false
  if (existsSync('/proc/self/cmdline')) {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return commandLine.split('\0').includes(argument)
  }
  const { stdout } = await run('ps', ['-o', 'args=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }))
  return stdout.includes(argument)
}

/** Sends the signal; a process that is gone already is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Waits for the end of any process, child or not; false when it still runs at the deadline. */
export async function waitForExit(pid: number, deadlineMs: number): Promise<boolean> {
  return (await waitUntil(() => (isRunning(pid) ? null : true), deadlineMs)) === true
}

export interface Detached {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Receives stdout and stderr. */
  readonly logFile: string
  /** Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv
}

/**
 * Starts a process that outlives this one and keeps nothing of it open. It gets a session of its own:
 * a Ctrl-C in our terminal must reach us alone, or the server would be gone before our last writes.
 */
export async function spawnDetached(detached: Detached): Promise<ChildProcess> {
  const { command, args, cwd, logFile, env } = detached
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0,
  )
  const log = await open(logFile, size > LOG_LIMIT_BYTES ? 'w' : 'a', 0o600)
  try {
    const child = spawn(command, args, {
      cwd,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      ...(env ? { env } : {}),
    })
    await once(child, 'spawn') // rejects with the child's error
    child.unref()
    return child
  } catch (error) {
    throw new ServerError(`${command} cannot be run: ${(error as Error).message}`, { cause: error })
  } finally {
    await log.close()
  }
}

/** What the log holds behind `fromByte`: the words of one start, for its error message. */
export async function logSince(logFile: string, fromByte: number): Promise<string> {
  const log = await readFile(logFile).catch(() => Buffer.alloc(0))
  return log.subarray(fromByte > log.length ? 0 : fromByte).toString('utf8')
}

/** Where the log ends now; 0 when there is none. */
export async function logEnd(logFile: string): Promise<number> {
  const { size } = await stat(logFile).catch(() => ({ size: 0 }))
  return size > LOG_LIMIT_BYTES ? 0 : size
}

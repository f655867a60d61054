import { join } from 'node:path'
import { type Detached, logEnd, logSince, signal, spawnDetached, waitForExit } from './process.ts'
import { waitUntil } from './wait.ts'

export interface StartRequest extends Omit<Detached, 'logFile'> {
  /** Holds the log. */
  readonly directory: string
  /** Whether the server serves; a rejection ends the start. */
  readonly isReady: () => Promise<boolean>
  readonly deadlineMs: number
}

/** `said` is what the server wrote to its log since this start. */
export type StartResult =
  | { readonly kind: 'ready'; readonly pid: number }
  | { readonly kind: 'ended'; readonly said: string }

/** Where a server of this directory writes what it has to say. */
export function logFileOf(directory: string): string {
  return join(directory, 'server.log')
}

/** Starts a server and waits until it is ready or has ended; one that does neither in time is killed. */
export async function startProcess(request: StartRequest): Promise<StartResult> {
  const { directory, isReady, deadlineMs, ...detached } = request
  const logFile = logFileOf(directory)
  const logFrom = await logEnd(logFile)
  const child = await spawnDetached({ ...detached, logFile })
  const pid = child.pid ?? 0
  const state = await waitUntil(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return 'ended'
    return (await isReady()) ? 'ready' : null
  }, deadlineMs)
  if (state === 'ready') return { kind: 'ready', pid }
  if (state === null) {
    signal(pid, 'SIGKILL')
    await waitForExit(pid, deadlineMs)
  }
  return { kind: 'ended', said: await logSince(logFile, logFrom) }
}

const COMPLAINT_LINES = 3

/** The lines of a log that say what went wrong, as one line for a person. */
export function complaints(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^[\d-]+ [\d:.]+\S*( UTC)? /, '').trim())
  const loud = lines.filter((line) =>
    /FATAL|PANIC|ERROR:|[Cc]ould not|\[error\].* Failed/.test(line),
  )
  const told = [...new Set(loud.length > 0 ? loud : lines.filter((line) => line !== ''))]
  return told.slice(0, COMPLAINT_LINES).join('; ') || 'it gave no reason'
}

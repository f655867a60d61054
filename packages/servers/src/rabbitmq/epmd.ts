import { readFile, rm, writeFile } from 'node:fs/promises'
import { ask } from '../ask.ts'
import { freePort } from '../free-port.ts'
import { signal, waitForExit, wasStartedWith } from '../process.ts'
import { ServerError } from '../server-error.ts'
import { startProcess } from '../start-process.ts'
import { nodeFiles } from './node-environment.ts'

interface RunningEpmd {
  readonly pid: number
  readonly port: number
}

const DEADLINE_MS = 10_000
const START_TRIES = 5
const NAMES_REQUEST = '\u0000\u0001n'
const NAMES_HEAD_BYTES = 4

/**
 * Erlang's name service for one node. A node would start a shared one by itself, which then outlives it
 * and belongs to nobody; so each node gets one of its own, started first and ended last.
 * @returns Its port.
 */
export async function startEpmd(directory: string): Promise<number> {
  const running = await findEpmd(directory)
  if (running !== null) return running.port
  for (let tries = 0; tries < START_TRIES; tries++) {
    const port = await freePort()
    const result = await startProcess({
      command: 'epmd',
      args: ['-port', String(port), '-address', '127.0.0.1'],
      cwd: directory,
      directory,
      isReady: async () => (await ask(port, NAMES_REQUEST, NAMES_HEAD_BYTES)) !== '',
      deadlineMs: DEADLINE_MS,
    })
    if (result.kind === 'ready') {
      await writeFile(nodeFiles(directory).epmd, JSON.stringify({ pid: result.pid, port }))
      return port
    }
  }
  throw new ServerError('epmd (of the package erlang-base) did not start.')
}

/** The name service that was started for this directory and still runs. */
export async function findEpmd(directory: string): Promise<RunningEpmd | null> {
  const text = await readFile(nodeFiles(directory).epmd, 'utf8').catch(() => 'null')
  const recorded = JSON.parse(text) as RunningEpmd | null
  if (recorded === null) return null
  return (await wasStartedWith(recorded.pid, String(recorded.port))) ? recorded : null
}

/** Ends it; only after its node, which could not be controlled without it. Idempotent. */
export async function stopEpmd(directory: string): Promise<void> {
  const running = await findEpmd(directory)
  if (running !== null) {
    signal(running.pid, 'SIGTERM')
    await waitForExit(running.pid, DEADLINE_MS)
  }
  await rm(nodeFiles(directory).epmd, { force: true })
}

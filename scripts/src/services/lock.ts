import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const DEADLINE_MS = 5 * 60_000
const PAUSE_MS = 100

/**
 * Runs `work` while no other process works on the directory, so that two who bring services up at once
 * end up with one set. A lock whose holder is dead is taken over.
 */
export async function withLock<T>(directory: string, work: () => Promise<T>): Promise<T> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const file = join(directory, 'lock')
  await acquire(file)
  try {
    return await work()
  } finally {
    await rm(file, { force: true })
  }
}

async function acquire(file: string): Promise<void> {
  const end = performance.now() + DEADLINE_MS
  while (!(await tryToWrite(file))) {
    const holder = Number(await readFile(file, 'utf8').catch(() => ''))
    if (holder > 0 && !isAlive(holder)) await rm(file, { force: true })
    else if (performance.now() > end) throw new Error(`${file} is held by process ${holder}.`)
    else await sleep(PAUSE_MS)
  }
}

async function tryToWrite(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

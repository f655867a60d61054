import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { wasStartedWith } from '../process.ts'

/** What a postmaster writes about itself; the port is 0 while it is still starting. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
}

const PORT_LINE = 3

/**
 * The postmaster that runs on this cluster, or null. A file that names no such process (after a power
 * cut, or in a container where the pid now is somebody else's) is removed: PostgreSQL itself would take
 * any living process for a rival and refuse to start.
 */
export async function findPostmaster(cluster: string): Promise<Postmaster | null> {
  const file = join(cluster, 'postmaster.pid')
  const lines = await readFile(file, 'utf8').then(
    (text) => text.split('\n'),
    () => null,
  )
  if (lines === null) return null
  const pid = Number(lines[0])
  if (Number.isSafeInteger(pid) && pid > 0 && (await wasStartedWith(pid, cluster))) {
    return { pid, port: Number(lines[PORT_LINE]) || 0 }
  }
  await rm(file, { force: true })
  return null
}

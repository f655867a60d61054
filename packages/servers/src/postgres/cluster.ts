import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ServerError } from '../server-error.ts'
import type { PostgresBinaries } from './binaries.ts'

const run = promisify(execFile)

/** The role that owns the cluster, and the database clients are sent to. */
export const ROLE = 'postrider'

/** A database cluster on disk and the password of its role. */
export interface Cluster {
  /** Absolute and without links: it stands in the postmaster's arguments, by which we know it again. */
  readonly path: string
  readonly password: string
}

/**
 * Opens the cluster in `directory`, making it when it is not there. It is made aside and renamed, so
 * that a start that dies half way leaves nothing that looks finished. Directory and password are
 * readable by their owner only; the server asks for that password even on loopback, since other users
 * of the machine can connect there too.
 */
export async function openCluster(
  directory: string,
  binaries: PostgresBinaries,
  prefix: readonly string[],
): Promise<Cluster> {
  const home = await privateDirectory(directory)
  const path = join(home, 'cluster')
  const passwordFile = join(home, 'password')
  if (!(await exists(join(path, 'PG_VERSION'))))
    await makeCluster(path, passwordFile, binaries, prefix)
  const password = await readFile(passwordFile, 'utf8').catch((error: unknown) => {
    throw new ServerError(`${passwordFile} cannot be read: put it back from a backup.`, {
      cause: error,
    })
  })
  return { path, password: password.trim() }
}

async function privateDirectory(directory: string): Promise<string> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await chmod(directory, 0o700)
    return await realpath(directory)
  } catch (error) {
    throw new ServerError(`${directory} cannot be used for data: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

async function makeCluster(
  path: string,
  passwordFile: string,
  binaries: PostgresBinaries,
  prefix: readonly string[],
): Promise<void> {
  const unfinished = `${path}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 })
  const [command, ...args] = [
    ...prefix,
    binaries.initdb,
    `--pgdata=${unfinished}`,
    `--username=${ROLE}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
  ]
  try {
    await run(command, args)
  } catch (error) {
    const said = String((error as { stderr?: unknown }).stderr ?? error).trim()
    throw new ServerError(`initdb failed: ${said.replaceAll('\n', ' ')}`, { cause: error })
  }
  await rename(unfinished, path)
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

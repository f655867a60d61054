import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** The data directory, or what is kept in it, cannot be used. */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError'
}

/**
 * Makes the data directory, for its owner only, with the directories above it, where they are missing.
 *
 * @throws {DataDirectoryError} When it cannot be made or is no directory
 */
export function makeDataDirectory(dataDir: string): void {
  try {
    makeDirectory(resolve(dataDir))
  } catch (error) {
    throw unusable(dataDir, error)
  }
}

export function unusable(dataDir: string, cause: unknown): DataDirectoryError {
  if (cause instanceof DataDirectoryError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new DataDirectoryError(`the data directory ${dataDir} cannot be used: ${reason}`, {
    cause,
  })
}

/**
 * n.b. Node's own `recursive` never returns where a file system says ENOENT although the directory
 * above is there, as /proc does.
 */
function makeDirectory(path: string): void {
  if (isDirectory(path)) return
  const above = dirname(path)
  if (above !== path) makeDirectory(above)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Somebody who starts at this moment, too.
    if (!isDirectory(path)) throw error
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

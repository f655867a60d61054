import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Secrets } from '@postrider/config'

/** The data directory, or what is kept in it, cannot be used. */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError'
}

const FILE = 'secrets.json'

/**
 * The secrets of a service that was given none: made once, on the first start, and kept in the data
 * directory in a file that only its owner can read.
 *
 * @throws {DataDirectoryError} When the directory cannot be written, or the file is not ours
 */
export function keptSecrets(dataDir: string): Secrets {
  const file = join(dataDir, FILE)
  try {
    return parse(readFileSync(file, 'utf8'), file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unusable(dataDir, error)
  }
  const secrets: Secrets = {
    apiKeys: [`pr_${randomBytes(24).toString('base64url')}`],
    jwtSecret: randomBytes(32).toString('base64url'),
    encryptionSecrets: [randomBytes(32).toString('base64url')],
  }
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    // Written aside and renamed: a start that dies half way leaves no half a file behind.
    const aside = `${file}.${process.pid}`
    writeFileSync(aside, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
    chmodSync(aside, 0o600)
    renameSync(aside, file)
  } catch (error) {
    throw unusable(dataDir, error)
  }
  return secrets
}

function parse(text: string, file: string): Secrets {
  const { apiKeys, jwtSecret, encryptionSecrets } = JSON.parse(text) as Partial<Secrets>
  if (!apiKeys?.[0] || !jwtSecret || !encryptionSecrets?.[0]) {
    throw new DataDirectoryError(`${file} does not hold the secrets that were written to it`)
  }
  return { apiKeys, jwtSecret, encryptionSecrets }
}

function unusable(dataDir: string, cause: unknown): DataDirectoryError {
  if (cause instanceof DataDirectoryError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new DataDirectoryError(`the data directory ${dataDir} cannot be used: ${reason}`, {
    cause,
  })
}

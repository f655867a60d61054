import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Secrets } from '@postrider/config'
import { DataDirectoryError, makeDataDirectory, unusable } from './data-directory.ts'

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
    makeDataDirectory(dataDir)
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
  const { apiKeys, jwtSecret, encryptionSecrets } = fieldsOf(text)
  if (!apiKeys?.[0] || !jwtSecret || !encryptionSecrets?.[0]) {
    // Making others would leave credentials in the database that nobody can decrypt.
    throw new DataDirectoryError(
      `${file} does not hold the secrets that were written to it; put it back from a backup`,
    )
  }
  return { apiKeys, jwtSecret, encryptionSecrets }
}

function fieldsOf(text: string): Partial<Secrets> {
  try {
    return (JSON.parse(text) as Partial<Secrets> | null) ?? {}
  } catch {
    // Told as what it means: the secrets are not there.
    return {}
  }
}

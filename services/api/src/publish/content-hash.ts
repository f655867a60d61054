import { createHash } from 'node:crypto'

/**
 * What two publishes of one id must have in common to be the same: SHA-256 over topic and data. A
 * topic holds no newline, so the first one ends it and no other pair has the same bytes.
 */
export function contentHash(topic: string, data: Buffer): Buffer {
  return createHash('sha256').update(`${topic}\n`).update(data).digest()
}

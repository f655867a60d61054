import { parseRfc3339 } from './rfc3339.ts'

const EARLIEST_MS = Date.UTC(1970, 0, 1)
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * The fault of a time that a caller has given, in a sentence that starts with its path. There has to be
 * such a time, and answers have to be able to tell it, for which its year in UTC must have four digits.
 * What is no text is for the schema to refuse.
 */
export function timeFaults(path: string, time: unknown): readonly string[] {
  if (typeof time !== 'string') return []
  const timeMs = parseRfc3339(time)
  if (timeMs === null) return [`${path} must be a time of RFC 3339`]
  if (timeMs < EARLIEST_MS || timeMs > LATEST_MS) {
    return [`${path} must be in the years 1970 to 9999`]
  }
  return []
}

import type { ListPosition } from '@postrider/store'

/** Raised when the meaning of a field changes; older cursors are then refused, not misread. */
const VERSION = 1

/**
 * A position as text, opaque to callers.
 *
 * @param list - the list, and the order in which it is walked, such as `tenants desc`
 */
export function encodeCursor(list: string, position: ListPosition): string {
  const fields = [VERSION, list, position.time, position.uid, position.inclusive ? 1 : 0]
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

/** The position in a text that `encodeCursor` made for the same list; null for any other text. */
export function decodeCursor(list: string, text: string): ListPosition | null {
  const fields = parse(Buffer.from(text, 'base64url').toString('utf8'))
  if (!Array.isArray(fields) || fields.length !== 5) return null
  const [version, ofList, time, uid, inclusive] = fields as unknown[]
  if (version !== VERSION || ofList !== list) return null
  // The fields travel to Postgres: a forged cursor must not be able to make a statement fail.
  if (typeof time !== 'string' || !isTime(time)) return null
  if (typeof uid !== 'string' || !UID.test(uid)) return null
  return inclusive === 0 || inclusive === 1 ? { time, uid, inclusive: inclusive === 1 } : null
}

const TIME = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A time that exists: JavaScript rolls 31 February over, Postgres refuses it. */
function isTime(text: string): boolean {
  return TIME.test(text) && new Date(text).toJSON() === text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, so not one of our cursors; the caller is told so.
    return null
  }
}

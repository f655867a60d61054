/**
 * A place in a list ordered by time and, within one millisecond, by uid. The row at the place is not
 * part of the page that begins there.
 */
export interface Cursor {
  /** RFC 3339, UTC, milliseconds. */
  readonly time: string
  readonly uid: string
  /** ASCII that a list wants to find again on its next page, such as when the walk began; default ''. */
  readonly mark?: string
}

/** Raised when the meaning of a field changes; older cursors are then refused, not misread. */
const VERSION = 1

/**
 * A cursor as text, opaque to callers.
 *
 * @param list - the list, and the order in which it is walked, such as `tenants desc`
 */
export function encodeCursor(list: string, cursor: Cursor): string {
  const fields = [VERSION, list, cursor.time, cursor.uid, cursor.mark ?? '']
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

/** The cursor in a text that `encodeCursor` made for the same list; null for any other text. */
export function decodeCursor(list: string, text: string): Required<Cursor> | null {
  const fields = parse(Buffer.from(text, 'base64url').toString('utf8'))
  if (!Array.isArray(fields) || fields.length !== 5) return null
  const [version, ofList, time, uid, mark] = fields as unknown[]
  if (version !== VERSION || ofList !== list) return null
  // The fields travel to Postgres: a forged cursor must not be able to make a statement fail.
  if (typeof time !== 'string' || !isTime(time)) return null
  if (typeof uid !== 'string' || !UID.test(uid)) return null
  return typeof mark === 'string' && MARK.test(mark) ? { time, uid, mark } : null
}

const TIME = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const MARK = /^[\x20-\x7E]*$/
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

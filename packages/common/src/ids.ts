import { randomUUID } from 'node:crypto'

/**
 * A new internal uid: a UUIDv7 (RFC 9562 section 5.7), so that rows made together lie together in
 * an index. Uids tie rows together, are never shown as such and never used again.
 *
 * @param nowMs - Unix milliseconds that the first 48 bits carry; a fraction is cut off
 */
export function newUid(nowMs: number = Date.now()): string {
  const time = Math.trunc(nowMs).toString(16).padStart(12, '0')
  // A random UUIDv4 supplies the variant and the random bits; only time and version are replaced.
  const random = randomUUID()
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}

/** A public event id for a publish that names none. */
export function newEventId(): string {
  return `evt_${compact(newUid())}`
}

/** A public destination id for a create that names none. */
export function newDestinationId(): string {
  return `des_${compact(newUid())}`
}

/** The public id of the attempt with this uid; `attemptUidOf` is its inverse. */
export function attemptIdOf(uid: string): string {
  return `att_${compact(uid)}`
}

/** The uid behind a public attempt id, or null when the text is not one. */
export function attemptUidOf(id: string): string | null {
  const match = /^att_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(id)
  return match === null ? null : match.slice(1).join('-')
}

function compact(uid: string): string {
  return uid.replaceAll('-', '')
}

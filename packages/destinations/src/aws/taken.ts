import type { SendResult } from '../destination-type.ts'
import { succeeded } from '../send-result.ts'

/**
 * The result of a message that a service has taken.
 *
 * @param facts - what it is called there; undefined members are left out
 */
export function taken(facts: Readonly<Record<string, string | undefined>>): SendResult {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined)
  const head = { status: 200, ...Object.fromEntries(known) }
  return { ...succeeded('200'), response: { head, body: Buffer.alloc(0), cut: false } }
}

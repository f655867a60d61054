import type { SendResult } from '../destination-type.ts'
import { succeeded } from '../send-result.ts'
import { answerText } from './answer-text.ts'

/**
 * The result of a message that a service has taken.
 *
 * @param facts - what it is called there, in the words of the answer; what is no text is left out
 */
export function taken(facts: Readonly<Record<string, unknown>>): SendResult {
  const known = Object.entries(facts)
    .map(([name, value]) => [name, answerText(value)] as const)
    .filter(([, text]) => text !== null)
  const head = { status: 200, ...Object.fromEntries(known) }
  return { ...succeeded('200'), response: { head, body: Buffer.alloc(0), cut: false } }
}

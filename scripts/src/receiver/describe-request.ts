import type { ReceivedRequest } from './listen.ts'
import { prettyJson } from './pretty-json.ts'
import type { Verdict } from './signature.ts'

const MAX_PRETTY_BYTES = 64 * 1024
const MAX_LINES = 24
const MAX_LINE_LENGTH = 160

const WORDS: Readonly<Record<Verdict, string>> = {
  valid: 'signature valid',
  'not valid': 'signature NOT VALID: made with none of the secrets given, or over other bytes',
  unsigned: 'signature NOT VALID: there is no signature header of the known form',
  unchecked: 'no secret given: signature not checked',
}

/** A request as the receiver shows it: one line of facts, one on its signature, and its body. */
export function describeRequest(request: ReceivedRequest, verdict: Verdict): string {
  const { arrivedAt, method, path, headers, body } = request
  const id = headers['x-service-id'] ?? headers['webhook-id'] ?? 'no event id'
  const topic = headers['x-service-topic'] ?? headers['webhook-topic'] ?? 'no topic'
  return [
    printable(`${arrivedAt.toISOString()}  ${method} ${path}  ${String(id)}  ${String(topic)}`),
    `  ${WORDS[verdict]}`,
    ...bodyLines(body).map((line) => `  ${line}`),
    '',
  ].join('\n')
}

function bodyLines(body: Buffer): string[] {
  if (body.length === 0) return ['(no body)']
  const isCut = body.length > MAX_PRETTY_BYTES
  const text = body.toString('utf8', 0, MAX_PRETTY_BYTES)
  const lines = (isCut ? text : prettyJson(text)).split('\n')
  const shown = lines.slice(0, MAX_LINES).map((line) => shortened(printable(line)))
  if (isCut || lines.length > shown.length) shown.push(`… (${body.length} bytes in all)`)
  return shown
}

function shortened(line: string): string {
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line
}

/** What comes from outside must not move the cursor or colour the terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '·')
}

import type { StringMap } from '@postrider/common'

/** A message attribute, in the words of SQS. */
export interface MessageAttribute {
  readonly DataType: 'String'
  readonly StringValue: string
}

const MAX_ATTRIBUTES = 10
const MAX_NAME_LENGTH = 256
const ALL = 'metadata'
/** What receivers look at first; they have their place before the event's own. */
const FIRST = ['event-id', 'topic', 'timestamp']

const NAME = /^(?!\.)(?!.*\.\.)[A-Za-z0-9_.-]+(?<!\.)$/
const RESERVED = /^(?:aws|amazon)\./i

// What SQS takes, as the XML recommendation has it: `u` makes lone surrogates count as not in it.
const REFUSED_CHARACTER = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u

/** Whether SQS takes a text, as a body or as the value of an attribute. */
export function isSendable(text: string): boolean {
  return text !== '' && !REFUSED_CHARACTER.test(text)
}

/**
 * The attributes of a message: `metadata` with all of the metadata as JSON, and one for each key as far
 * as ten go. A key that cannot be a name, or a value that SQS does not take, is in `metadata` alone.
 */
export function messageAttributes(metadata: StringMap): Record<string, MessageAttribute> {
  const keys = [...FIRST, ...Object.keys(metadata).filter((key) => !FIRST.includes(key))]
  const own = keys.filter((key) => isName(key) && isSendable(metadata[key] ?? ''))
  return Object.fromEntries([
    [ALL, attribute(escaped(JSON.stringify(metadata)))],
    ...own.slice(0, MAX_ATTRIBUTES - 1).map((key) => [key, attribute(metadata[key] ?? '')]),
  ])
}

function isName(key: string): boolean {
  return key !== ALL && key.length <= MAX_NAME_LENGTH && NAME.test(key) && !RESERVED.test(key)
}

function attribute(value: string): MessageAttribute {
  return { DataType: 'String', StringValue: value }
}

/** JSON escapes the other characters that SQS refuses by itself. */
function escaped(json: string): string {
  return json.replaceAll('\uFFFE', String.raw`\ufffe`).replaceAll('\uFFFF', String.raw`\uffff`)
}

import type { SignedMessage } from '../signed-message.ts'

/**
 * Makes a text of a request.
 *
 * @param signatures - for a header alone, the current secret's first
 */
export type Render = (message: SignedMessage, signatures: readonly string[]) => string

/** What the value of an operand is known to be before there is a request. */
export type Value =
  | { readonly kind: 'text'; readonly constant: string | null; readonly render: Render }
  | { readonly kind: 'number'; readonly render: Render }
  | { readonly kind: 'time' }
  | { readonly kind: 'signatures' }
  | { readonly kind: 'body' }

/** A value in words, for errors. */
export const WORDS: Readonly<Record<Value['kind'], string>> = {
  text: 'a text',
  number: 'a number',
  time: '.Timestamp, of which only .Unix, .UnixMilli and .Format can be written',
  signatures: '.Signatures, which only join makes a text of',
  body: '.Body, which can only be written as it is',
}

/** Every field that there is. */
export const FIELDS = {
  EventID: { kind: 'text', constant: null, render: (message) => message.eventId },
  Topic: { kind: 'text', constant: null, render: (message) => message.topic },
  Timestamp: { kind: 'time' },
  Body: { kind: 'body' },
  Signatures: { kind: 'signatures' },
} as const satisfies Record<string, Value>

export type FieldName = keyof typeof FIELDS

export function constantValue(text: string): Value & { kind: 'text' } {
  return { kind: 'text', constant: text, render: () => text }
}

/** All of them, one after the other. */
export function concatenation(values: readonly Value[]): Render {
  const pieces: (string | Render)[] = []
  for (const value of values) {
    if (value.kind !== 'text' && value.kind !== 'number') continue
    const last = pieces.at(-1)
    const constant = value.kind === 'text' ? value.constant : null
    if (constant === null) pieces.push(value.render)
    else if (typeof last === 'string') pieces[pieces.length - 1] = last + constant
    else pieces.push(constant)
  }
  const [only] = pieces
  if (pieces.length === 1 && typeof only === 'function') return only
  return (message, signatures) => {
    let text = ''
    for (const piece of pieces) {
      text += typeof piece === 'string' ? piece : piece(message, signatures)
    }
    return text
  }
}

import { VerificationError } from './verification-error.ts'

/**
 * Headers of a request: a `Headers` object, Node's `request.headers`, or any object of names and
 * values. The case of names does not matter.
 */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** Reads one header by its name in lower case; null when it is not there. */
export type HeaderReader = (name: string) => string | null

/** @throws {VerificationError} From the reader, when a header comes twice */
export function headerReader(headers: WebhookHeaders): HeaderReader {
  if (isHeadersObject(headers)) return (name) => headers.get(name) ?? null
  const entries = Object.entries(headers)
  return (name) => {
    const values = entries
      .filter(([key, value]) => value !== undefined && key.toLowerCase() === name)
      .flatMap(([, value]) => value ?? [])
    if (values.length > 1) throw new VerificationError('duplicate_header', `${name} comes twice`)
    return values[0] ?? null
  }
}

/** @throws {VerificationError} When it is not there, or empty */
export function requiredHeader(read: HeaderReader, name: string): string {
  const value = read(name) ?? ''
  if (value === '') throw new VerificationError('missing_header', `${name} is missing`)
  return value
}

function isHeadersObject(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}

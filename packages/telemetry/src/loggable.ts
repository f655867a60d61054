import { types } from 'node:util'

/** Deep enough for every chain that we wrap ourselves; a chain can be circular. */
const MAX_DEPTH = 5

/**
 * JSON of a log line; never throws. Errors, wherever they stand, become their name, message, code, stack
 * and causes and nothing else: drivers hang requests, headers and rows on theirs, and a `toJSON` of
 * theirs would print them. What cannot be JSON is replaced by the reason.
 */
export function toLogLine(line: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(line, describe)
  } catch (error) {
    const { time, level, service, message } = line
    return JSON.stringify({ time, level, service, message, unloggable: String(error) })
  }
}

/** A replacer of JSON.stringify; `value` has been through `toJSON`, what `this` holds has not. */
function describe(this: unknown, key: string, value: unknown): unknown {
  const original = (this as Readonly<Record<string, unknown>>)[key]
  if (isError(original)) return describeError(original, MAX_DEPTH)
  return typeof value === 'bigint' ? value.toString() : value
}

function describeError(error: Error, depth: number): Readonly<Record<string, unknown>> {
  const { code, errors } = error as { readonly code?: unknown; readonly errors?: unknown }
  const describeCause = (cause: unknown): unknown =>
    isError(cause) ? describeError(cause, depth - 1) : String(cause)
  return {
    name: error.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: error.stack,
    ...(error.cause === undefined || depth === 0 ? {} : { cause: describeCause(error.cause) }),
    // An AggregateError: connecting to each address of a host failed, each for a reason of its own.
    ...(Array.isArray(errors) && depth > 0
      ? { errors: errors.slice(0, MAX_DEPTH).map(describeCause) }
      : {}),
  }
}

/** `instanceof` alone does not know the errors of another realm, such as Node's own inside a test. */
function isError(value: unknown): value is Error {
  return types.isNativeError(value) || value instanceof Error
}

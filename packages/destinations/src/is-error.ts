/** Whether something that was thrown is an error, of whichever realm: `instanceof` knows only its own. */
export function isError(value: unknown): value is Error {
  return typeof value === 'object' && value !== null && 'message' in value
}

/**
 * A server could not be found, started or stopped. The message is one line for a person and names the
 * cure where there is one; callers print it as it stands.
 */
export class ServerError extends Error {
  override readonly name = 'ServerError'
}

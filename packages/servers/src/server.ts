/**
 * A supervised server process. It belongs to its directory, not to the process that started it: it runs
 * detached, survives its starter, and whoever opens the same directory next adopts it. Ending it is
 * always a decision of a caller, never a side effect.
 */
export interface Server extends AsyncDisposable {
  /** Where clients connect; secrets included. Throws ServerError before the first `start()`. */
  readonly url: string
  /** The process of the server as last seen, or null when it is down. */
  readonly pid: number | null
  /**
   * Resolves once the server answers a client, adopting the one that already runs on the directory.
   * After the first start the port stays the same for the life of this object.
   * @throws {ServerError} When it cannot be found, started or reached.
   */
  start(): Promise<void>
  /** Ends the server in order, whoever started it, and waits for its end. Its data stays. Idempotent. */
  stop(): Promise<void>
  /** Sends the signal (default SIGKILL) and waits for the end: for tests of sudden death. */
  kill(signal?: NodeJS.Signals): Promise<void>
}

import { join } from 'node:path'
import { PostgresServer } from '@postrider/servers'
import { DataDirectoryError, makeDataDirectory } from './data-directory.ts'

/** The PostgreSQL of a data directory. One Postrider at a time uses it. */
export interface EmbeddedPostgres {
  readonly url: string
  /**
   * Runs `take`, which waits until nobody else uses the database; from then on the server is ours.
   * Gives up after 10 s: a predecessor that was killed is gone at once, and one that lives stays.
   *
   * @throws {DataDirectoryError} When another Postrider uses it
   */
  claim(take: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>
  /** Ends the server, unless another Postrider uses it. */
  stop(): Promise<void>
}

const PATIENCE_MS = 10_000

/** Starts the server of the data directory, or adopts the one that runs there already. */
export async function startEmbeddedPostgres(dataDir: string): Promise<EmbeddedPostgres> {
  makeDataDirectory(dataDir)
  const server = new PostgresServer({ directory: join(dataDir, 'postgres') })
  await server.start()
  let isOurs = !server.isAdopted
  return {
    url: server.url,
    claim: async (take, signal) => {
      const patience = AbortSignal.timeout(PATIENCE_MS)
      try {
        await take(AbortSignal.any([signal, patience]))
      } catch (error) {
        if (!patience.aborted || signal.aborted) throw error
        throw new DataDirectoryError(
          `another Postrider uses the data directory ${dataDir}; stop it, or set DATA_DIR to another one`,
          { cause: error },
        )
      }
      isOurs = true
    },
    stop: async () => {
      if (isOurs) await server.stop()
    },
  }
}

import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Finds out at once what listening would find out at the end of a start, when a database has been
 * started and migrated in vain. Nothing keeps the port from being taken meanwhile.
 *
 * @throws When the port cannot be had (EADDRINUSE, EACCES)
 */
export async function refuseTakenPort(host: string, port: number): Promise<void> {
  const server = createServer()
  const listening = once(server, 'listening')
  server.listen(port, host)
  await listening
  server.close()
  await once(server, 'close')
}

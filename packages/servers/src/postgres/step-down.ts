import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ServerError } from '../server-error.ts'

const run = promisify(execFile)
const UNSHARE = ['unshare', '-U', '--map-user=1000', '--map-group=1000'] as const

/**
 * The words to put before a PostgreSQL program: none for an ordinary user. PostgreSQL refuses root, and
 * another system user could not enter a clone under /root; so root's server runs in a user namespace in
 * which root is called 1000, while its files stay root's. `unshare` execs: the pid is the server's.
 * @throws {ServerError} When root cannot step down here.
 */
export async function stepDown(): Promise<readonly string[]> {
  if (process.getuid?.() !== 0) return []
  const [command, ...args] = UNSHARE
  try {
    await run(command, [...args, 'true'])
    return UNSHARE
  } catch (error) {
    throw new ServerError(
      'PostgreSQL does not run as root, and root cannot step down here (unshare without user namespaces): start Postrider as an ordinary user, or set POSTGRES_URL.',
      { cause: error },
    )
  }
}

import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { definitionsFor } from './definitions.ts'
import { nodeFiles } from './node-environment.ts'

/**
 * Writes what a node reads when it starts and returns the user's password, which is made at the first
 * call and kept.
 */
export async function writeSettings(
  directory: string,
  port: number,
  vhosts: readonly string[],
): Promise<string> {
  const files = nodeFiles(directory)
  await mkdir(files.home, { recursive: true })
  const password = await makeSecret(files.password)
  await makeSecret(`${files.home}/.erlang.cookie`, 0o400)
  const settings = [
    `listeners.tcp.1 = 127.0.0.1:${port}`,
    `load_definitions = ${files.definitions}`,
    // The default asks for 2 GB or the size of the memory, and blocks every publisher below it.
    'disk_free_limit.absolute = 50MB',
    'log.console = true',
    'log.console.level = warning',
    'log.console.use_colors = off',
    'log.file = false',
  ]
  await writeFile(files.config, `${settings.join('\n')}\n`)
  await writeFile(files.plugins, '[].\n')
  await writeFile(files.definitions, definitionsFor(password, vhosts), { mode: 0o600 })
  return password
}

/** The secret in the file; made there when there is none, readable by its owner only. */
async function makeSecret(file: string, mode = 0o600): Promise<string> {
  const kept = await readFile(file, 'utf8').catch(() => '')
  if (kept !== '') return kept
  const secret = randomBytes(18).toString('base64url')
  await writeFile(file, secret, { mode: 0o600 })
  await chmod(file, mode)
  return secret
}

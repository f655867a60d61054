import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, constants, rm, writeFile } from 'node:fs/promises'
import { ServerError } from './server-error.ts'
import { RABBITMQ_SERVER } from './rabbitmq/node-environment.ts'
import { findRedis } from './redis/redis-server.ts'

const POLICY_FILE = '/usr/sbin/policy-rc.d'
const APT_LOCK_TIMEOUT_SECONDS = 120

/**
 * Makes sure that these servers can be started here, installing Debian's packages when this process
 * may. Debian starts a server as it installs it; ours are private, so that is forbidden for the
 * time of the call, in Debian's own way and only where nobody has made such a rule already.
 * @param say - Receives a line before anything that takes long.
 * @throws {ServerError} When something is missing and cannot be installed: says what to do.
 */
export async function installMissing(
  servers: readonly ('rabbitmq' | 'redis')[],
  say: (line: string) => void,
): Promise<void> {
  const missing = await missingPackages(servers)
  if (missing.length === 0) return
  const names = missing.join(' ')
  if (process.getuid?.() !== 0 || !(await isExecutable('/usr/bin/apt-get'))) {
    throw new ServerError(
      `Not installed: ${names}. Install what is missing (Debian, Ubuntu: sudo apt-get install --no-install-recommends ${names}), or set RABBITMQ_URL and REDIS_URL.`,
    )
  }
  say(`installing ${names} with apt-get`)
  const ruled = await forbidAutostart()
  // Ctrl-C reaches apt-get by itself; we must live on to take our rule away again.
  process.on('SIGINT', outlive)
  try {
    await apt(['update', '--quiet=2'])
    await apt(['install', '--yes', '--quiet=2', '--no-install-recommends', ...missing])
  } finally {
    process.off('SIGINT', outlive)
    if (ruled) await rm(POLICY_FILE, { force: true })
  }
}

async function missingPackages(servers: readonly ('rabbitmq' | 'redis')[]): Promise<string[]> {
  const missing = []
  if (servers.includes('rabbitmq') && !(await isExecutable(RABBITMQ_SERVER))) {
    missing.push('rabbitmq-server')
  }
  if (servers.includes('redis') && (await findRedis()) === null) missing.push('redis-server')
  return missing
}

function outlive(): void {}

/** Whether the rule is ours. 101 = "action forbidden by policy". */
async function forbidAutostart(): Promise<boolean> {
  try {
    await writeFile(POLICY_FILE, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function apt(args: readonly string[]): Promise<void> {
  const lock = `DPkg::Lock::Timeout=${APT_LOCK_TIMEOUT_SECONDS}`
  const command = ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-o', lock, ...args]
  const child = spawn('env', command, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  const keep = (chunk: Buffer): void => {
    said = (said + chunk.toString('utf8')).slice(-4096)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) {
    const reason = said.split('\n').filter((line) => /^[EW]:/.test(line))
    throw new ServerError(`apt-get ${args[0]} failed: ${reason.join(' ') || said.trim()}`)
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

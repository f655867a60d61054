import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const RUN = fileURLToPath(new URL('../../scripts/run.mjs', import.meta.url))
const NAMES = ['POSTGRES_URL', 'RABBITMQ_URL', 'REDIS_URL']

/** Brings the private servers of scripts/services up, unless the environment names others. */
export function bringServersUp(): void {
  if (NAMES.every((name) => process.env[name] !== undefined)) return
  services('up')
  for (const [, name, url] of services('env').matchAll(/^export (\w+)='(.*)'$/gm)) {
    if (name !== undefined) process.env[name] = url
  }
}

function services(command: 'up' | 'env'): string {
  return execFileSync(process.execPath, [RUN, 'services', command], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

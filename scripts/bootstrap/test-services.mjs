import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { root, say } from './process.mjs'

const SERVICES = join(root, '.services')
const PREFIX = 'test-'

/**
 * Runs `work` with the urls of servers that belong to this run alone (those of the environment, where
 * given) and takes them down after it. Servers of a run that was killed are taken down first.
 */
export async function withServices(work) {
  const { bringUp } = await import('../dist/services/up.js')
  const { takeDown } = await import('../dist/services/down.js')
  for (const name of await readdir(SERVICES).catch(() => [])) {
    if (name.startsWith(PREFIX) && !isAlive(Number(name.slice(PREFIX.length)))) {
      await end(takeDown, join(SERVICES, name))
    }
  }
  const directory = join(SERVICES, `${PREFIX}${process.pid}`)
  try {
    const { POSTGRES_URL, RABBITMQ_URL, REDIS_URL } = process.env
    const urls = await bringUp({
      directory,
      given: {
        postgres: POSTGRES_URL || undefined,
        rabbitmq: RABBITMQ_URL || undefined,
        redis: REDIS_URL || undefined,
      },
      isDurable: false,
      say,
    })
    return await work({
      POSTGRES_URL: urls.postgres,
      RABBITMQ_URL: urls.rabbitmq,
      REDIS_URL: urls.redis,
    })
  } finally {
    await end(takeDown, directory)
  }
}

async function end(takeDown, directory) {
  await takeDown(directory)
  await rm(directory, { recursive: true, force: true })
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

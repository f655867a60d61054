import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { root, say } from './process.mjs'

const SERVICES = join(root, '.services')
const PREFIX = 'test-'

/**
 * Runs `work` with an environment for tests: the urls of servers that belong to this run alone (those of
 * the environment, where given) and a directory for temporary files. Everything is down and gone after
 * it, also what tests left running; first of all, what a run that was killed left.
 * @returns The servers that tests left running.
 */
export async function withServices(work) {
  const { bringUp } = await import('../dist/services/up.js')
  const { endLeftovers, takeDown } = await import('../dist/services/down.js')
  const end = async (directory) => {
    await takeDown(directory)
    const leftovers = await endLeftovers(temporary(directory))
    await rm(directory, { recursive: true, force: true })
    return leftovers
  }
  for (const name of await readdir(SERVICES).catch(() => [])) {
    const isOfDead = name.startsWith(PREFIX) && !isAlive(Number(name.slice(PREFIX.length)))
    if (isOfDead) await end(join(SERVICES, name))
  }
  const directory = join(SERVICES, `${PREFIX}${process.pid}`)
  let leftovers = []
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
    await mkdir(temporary(directory))
    await work({
      POSTGRES_URL: urls.postgres,
      RABBITMQ_URL: urls.rabbitmq,
      REDIS_URL: urls.redis,
      TMPDIR: temporary(directory),
    })
  } finally {
    leftovers = await end(directory)
  }
  return leftovers
}

function temporary(directory) {
  return join(directory, 'tmp')
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PostgresServer } from './postgres/postgres-server.ts'
import { RabbitMqServer } from './rabbitmq/rabbitmq-server.ts'
import { RedisServer } from './redis/redis-server.ts'
import type { Server } from './server.ts'

/** How each server's directory is recognised: by the file that is there only while it runs. */
const MARKS: Readonly<Record<string, (path: string) => Server>> = {
  'postmaster.pid': (path) => new PostgresServer({ directory: dirname(dirname(path)) }),
  'rabbitmq.pid': (path) => new RabbitMqServer({ directory: dirname(path) }),
  'epmd.json': (path) => new RabbitMqServer({ directory: dirname(path) }),
  'redis.pid': (path) => new RedisServer({ directory: dirname(path) }),
}

/**
 * Ends the servers whose directories lie in this one, up to five levels down: what a test run that was
 * cut off left behind. Returns their marks; none when all was in order.
 */
export async function stopServersUnder(directory: string, levels = 5): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(directory, entry.name)
      if (entry.isDirectory()) return levels > 1 ? stopServersUnder(path, levels - 1) : []
      const serverAt = MARKS[entry.name]
      if (serverAt === undefined) return []
      await serverAt(path).stop()
      return [path]
    }),
  )
  return found.flat()
}

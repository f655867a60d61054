import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PostgresServer, RabbitMqServer, RedisServer, type Server } from '@postrider/servers'

// Servers of a test's own, for tests that stop, kill or wipe them. They are started when handed out; they
// are ended and their data removed when disposed, whatever state the test left them in.

/** A Postgres without fsync: its death loses nothing, only that of the machine would. */
export async function privatePostgres(): Promise<PostgresServer> {
  return startPrivate((directory) => new PostgresServer({ directory, isDurable: false }))
}

/** Takes about 5 s to start, also after a kill. */
export async function privateRabbitMq(): Promise<RabbitMqServer> {
  return startPrivate((directory) => new RabbitMqServer({ directory }))
}

/** Comes back empty from a restart. */
export async function privateRedis(): Promise<RedisServer> {
  return startPrivate((directory) => new RedisServer({ directory }))
}

async function startPrivate<S extends Server>(make: (directory: string) => S): Promise<S> {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-'))
  const server = make(directory)
  const dispose = async (): Promise<void> => {
    await server.stop()
    // Helpers of a server that was just killed may still write their last file.
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  try {
    await server.start()
  } catch (error) {
    await dispose()
    throw error
  }
  return Object.assign(server, { [Symbol.asyncDispose]: dispose })
}

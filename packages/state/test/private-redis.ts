import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RedisServer } from '@postrider/servers'
import { Redis } from 'ioredis'

/** A Redis of a test file's own, and a client to look into it. */
export interface PrivateRedis extends AsyncDisposable {
  readonly server: RedisServer
  readonly port: number
  readonly url: string
  readonly client: Redis
  /** Milliseconds of the server's clock. */
  now(): Promise<number>
}

export async function startPrivateRedis(): Promise<PrivateRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-state-'))
  const server = new RedisServer({ directory })
  await server.start()
  const client = new Redis(server.url)
  // The tests that kill the server know that this connection fails meanwhile.
  client.on('error', () => undefined)
  return {
    server,
    client,
    url: server.url,
    port: Number(new URL(server.url).port),
    now: async () => {
      const [seconds, microseconds] = await client.time()
      return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000)
    },
    [Symbol.asyncDispose]: async () => {
      client.disconnect()
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

import { join } from 'node:path'
import { PostgresServer, RedisServer, stopServersUnder } from '../src/index.ts'
import { temporaryDirectory } from './temporary-directory.ts'

describe('stopServersUnder', () => {
  it('ends the servers somewhere below a directory and tells which', async () => {
    await using directory = await temporaryDirectory()
    const postgres = new PostgresServer({ directory: join(directory.path, 'one', 'postgres') })
    const redis = new RedisServer({ directory: join(directory.path, 'two') })
    await postgres.start()
    await redis.start()

    const found = await stopServersUnder(directory.path)

    expect(found.toSorted()).toEqual([
      join(directory.path, 'one/postgres/cluster/postmaster.pid'),
      join(directory.path, 'two/redis.pid'),
    ])
    expect([postgres.pid, redis.pid]).toEqual([null, null])
    expect(await stopServersUnder(directory.path)).toEqual([])
  })
})

import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { RedisServer } from '../src/index.ts'
import { temporaryDirectory } from './temporary-directory.ts'

describe('RedisServer', () => {
  it('comes back on the same port after kill -9', async () => {
    await using directory = await temporaryDirectory()
    await using server = new RedisServer({ directory: directory.path })
    await server.start()
    const { pid, url } = server

    await server.kill()
    const down = server.pid
    await server.start()

    expect(down).toBeNull()
    expect(server.url).toBe(url)
    expect(server.pid).not.toBe(pid)
  })

  it('is adopted and ended by whoever opens its directory', async () => {
    await using directory = await temporaryDirectory()
    await using starter = new RedisServer({ directory: directory.path })
    await starter.start()

    const heir = new RedisServer({ directory: directory.path })
    await heir.start()
    const adopted = { pid: heir.pid, url: heir.url }
    const expected = { pid: starter.pid, url: starter.url }
    await new RedisServer({ directory: directory.path }).stop()

    expect(adopted).toEqual(expected)
    expect(starter.pid).toBeNull()
  })

  it('neither adopts nor ends a process of somebody else that its pid file names', async () => {
    await using directory = await temporaryDirectory()
    await writeFile(join(directory.path, 'redis.pid'), `${process.pid}\n`)
    await using server = new RedisServer({ directory: directory.path })

    await server.stop()
    await server.start()

    expect(server.pid).not.toBe(process.pid)
  })

  it('says in one line that its port is taken', async () => {
    await using directory = await temporaryDirectory()
    await using rival = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(rival, 'listening')
    const { port } = rival.address() as { port: number }
    await using server = new RedisServer({ directory: directory.path, port })

    await expect(server.start()).rejects.toThrow(
      /^Redis did not start: .*Address already in use.*$/,
    )
  })
})

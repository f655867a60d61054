import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { RabbitMqServer } from '../src/index.ts'
import { temporaryDirectory } from './temporary-directory.ts'

async function vhosts(server: RabbitMqServer): Promise<string[]> {
  const printed = await server.control(['list_vhosts', '--quiet', '--no-table-headers'])
  return printed.trim().split('\n').toSorted()
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('RabbitMqServer', () => {
  it('keeps its node over kill -9 and forgets it when wiped, on the same port', async () => {
    await using directory = await temporaryDirectory()
    await using server = new RabbitMqServer({ directory: directory.path, vhosts: ['one'] })
    await server.start()
    const { url } = server
    await server.control(['add_vhost', 'later'])

    await server.kill()
    await server.start()
    const afterKill = await vhosts(server)
    await server.wipe()
    await server.start()

    expect(afterKill).toEqual(['/', 'later', 'one'])
    expect(await vhosts(server)).toEqual(['/', 'one'])
    expect(server.url).toBe(url)
  })

  it('is adopted and ended, name service included, by whoever opens its directory', async () => {
    await using directory = await temporaryDirectory()
    await using starter = new RabbitMqServer({ directory: directory.path })
    await starter.start()
    const epmd = JSON.parse(await readFile(join(directory.path, 'epmd.json'), 'utf8')) as {
      pid: number
    }

    const heir = new RabbitMqServer({ directory: directory.path })
    await heir.start()
    const adopted = { pid: heir.pid, url: heir.url }
    const expected = { pid: starter.pid, url: starter.url }
    await new RabbitMqServer({ directory: directory.path }).stop()

    expect(adopted).toEqual(expected)
    expect(starter.pid).toBeNull()
    expect(isAlive(epmd.pid)).toBe(false)
  })

  it('says in one line that its port is taken', async () => {
    await using directory = await temporaryDirectory()
    await using rival = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(rival, 'listening')
    const { port } = rival.address() as { port: number }
    await using server = new RabbitMqServer({ directory: directory.path, port })

    await expect(server.start()).rejects.toThrow(/^RabbitMQ did not start: .*eaddrinuse.*$/)
  })
})

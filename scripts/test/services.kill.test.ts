import { mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeDown } from '../src/services/down.ts'
import { readRecord } from '../src/services/records.ts'
import { bringUp, type UpOptions } from '../src/services/up.ts'

interface Scene extends AsyncDisposable {
  readonly directory: string
  readonly said: string[]
  up(options?: Partial<UpOptions>): ReturnType<typeof bringUp>
}

async function scene(): Promise<Scene> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'postrider-services-')))
  const said: string[] = []
  return {
    directory,
    said,
    up: (options) =>
      bringUp({
        directory,
        given: {},
        isDurable: false,
        say: (line) => said.push(line),
        ...options,
      }),
    [Symbol.asyncDispose]: async () => {
      await takeDown(directory)
      await rm(directory, { recursive: true })
    },
  }
}

/** Whether somebody listens where the url points. */
async function isOpen(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = createConnection({ host: hostname, port: Number(port) })
    socket.on('error', () => resolve(false))
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

describe('services', () => {
  it('come up once, however often and by however many they are called up', async () => {
    await using services = await scene()

    const [first, second] = await Promise.all([services.up(), services.up()])
    const third = await services.up()

    expect(second).toEqual(first)
    expect(third).toEqual(first)
    expect(services.said.filter((line) => line.includes('postgres'))).toHaveLength(1)
    expect(await Promise.all(Object.values(first).map(isOpen))).toEqual([true, true, true])
  })

  it('come up again, each on its own, after one was killed', async () => {
    await using services = await scene()
    const before = await services.up()
    const record = await readRecord(services.directory, 'redis')
    expect(record?.kind).toBe('private')
    process.kill((record as { pid: number }).pid, 'SIGKILL')

    const after = await services.up()

    expect(after.postgres).toBe(before.postgres)
    expect(after.rabbitmq).toBe(before.rabbitmq)
    expect(await isOpen(after.redis)).toBe(true)
  })

  it('go down for good, also twice, and leave nothing', async () => {
    await using services = await scene()
    const urls = await services.up()

    await takeDown(services.directory)
    await takeDown(services.directory)

    expect(await Promise.all(Object.values(urls).map(isOpen))).toEqual([false, false, false])
    expect(await readdir(services.directory)).toEqual([])
  })

  it('that are given are used as they are, and left alone', async () => {
    await using services = await scene()
    const given = {
      postgres: 'postgres://somebody@db.example/one',
      rabbitmq: 'amqp://mq.example',
      redis: 'redis://cache.example',
    }

    expect(await services.up({ given })).toEqual(given)
    await takeDown(services.directory)

    expect(services.said).toEqual([])
    expect(await readRecord(services.directory, 'redis')).toBeNull()
  })

  it('keep the passwords in their records from other users', async () => {
    await using services = await scene()
    await services.up({
      given: { postgres: 'postgres://x', rabbitmq: 'amqp://x', redis: 'redis://x' },
    })

    const { mode } = await stat(join(services.directory, 'postgres.json'))

    expect(mode & 0o777).toBe(0o600)
  })

  it('take over the lock of a process that died', async () => {
    await using services = await scene()
    const beyondEveryPid = 2 ** 22 + 1
    await writeFile(join(services.directory, 'lock'), String(beyondEveryPid))

    await takeDown(services.directory)

    expect(await readdir(services.directory)).toEqual([])
  })
})

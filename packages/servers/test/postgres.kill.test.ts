import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createServer } from 'node:net'
import { Client } from 'pg'
import { PostgresServer } from '../src/index.ts'
import { temporaryDirectory } from './temporary-directory.ts'

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

describe('PostgresServer', () => {
  it('keeps what was committed over a stop and over kill -9, on the same port', async () => {
    await using directory = await temporaryDirectory()
    await using server = new PostgresServer({ directory: directory.path })
    await server.start()
    const { url } = server
    await query(url, 'create table kept as select 1 as n')

    await server.stop()
    await server.start()
    await query(url, 'insert into kept values (2)')
    await server.kill()
    await server.start()

    expect(server.url).toBe(url)
    expect(await query(url, 'select n from kept order by n')).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('adopts the server that a starter killed with -9 left behind', async () => {
    await using directory = await temporaryDirectory()
    const starter = spawn(
      process.execPath,
      ['--input-type=module', '--conditions=default', '--eval', STARTER, directory.path],
      { stdio: ['ignore', 'pipe', 'inherit'], cwd: new URL('..', import.meta.url) },
    )
    const [pid] = (await once(starter.stdout, 'data')) as [Buffer]
    starter.kill('SIGKILL')
    await once(starter, 'exit')

    await using server = new PostgresServer({ directory: directory.path })
    await server.start()

    expect(server.pid).toBe(Number(String(pid)))
    expect(server.isAdopted).toBe(true)
    expect(await query(server.url, 'select 1 as n')).toEqual([{ n: 1 }])
  })

  it('lets two starters of one directory end up with one server', async () => {
    await using directory = await temporaryDirectory()
    await using first = new PostgresServer({ directory: directory.path })
    await first.start()
    await first.stop()
    await using second = new PostgresServer({ directory: directory.path })

    await Promise.all([first.start(), second.start()])

    expect(second.pid).toBe(first.pid)
    expect(second.url).toBe(first.url)
  })

  it('removes a pid file that names a living process of somebody else', async () => {
    await using directory = await temporaryDirectory()
    await using server = new PostgresServer({ directory: directory.path })
    await server.start()
    const pidFile = join(directory.path, 'cluster', 'postmaster.pid')
    const lines = (await readFile(pidFile, 'utf8')).split('\n')
    await server.kill()
    await writeFile(pidFile, [process.pid, ...lines.slice(1)].join('\n'))

    await server.start()

    expect(server.pid).not.toBe(process.pid)
    expect(await query(server.url, 'select 1 as n')).toEqual([{ n: 1 }])
  })

  it('makes the cluster again when its first making was cut off', async () => {
    await using directory = await temporaryDirectory()
    await writeFile(join(directory.path, 'password'), 'of the start that died\n')
    await using server = new PostgresServer({ directory: directory.path })

    await server.start()

    expect(await query(server.url, 'select 1 as n')).toEqual([{ n: 1 }])
  })

  it('keeps data and password from other users, and lets nobody in without the password', async () => {
    await using directory = await temporaryDirectory()
    await using server = new PostgresServer({ directory: directory.path })
    await server.start()
    const stranger = new URL(server.url)
    stranger.password = 'guess'

    expect((await stat(directory.path)).mode & 0o777).toBe(0o700)
    expect((await stat(join(directory.path, 'password'))).mode & 0o777).toBe(0o600)
    await expect(query(stranger.href, 'select 1')).rejects.toThrow('password authentication failed')
  })

  it('is durable unless told otherwise', async () => {
    await using directory = await temporaryDirectory()
    await using server = new PostgresServer({ directory: directory.path })
    await server.start()

    expect(
      await query(
        server.url,
        `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit') order by name`,
      ),
    ).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'full_page_writes', setting: 'on' },
      { name: 'synchronous_commit', setting: 'on' },
    ])
  })

  it('says in one line that its port is taken', async () => {
    await using directory = await temporaryDirectory()
    await using rival = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(rival, 'listening')
    const { port } = rival.address() as { port: number }
    await using server = new PostgresServer({ directory: directory.path, port })

    await expect(server.start()).rejects.toThrow(/^PostgreSQL did not start: .*could not bind.*$/)
  })

  it('ends from another process what was started, and is content when nothing runs', async () => {
    await using directory = await temporaryDirectory()
    const started = new PostgresServer({ directory: directory.path })
    await started.start()
    const stranger = new PostgresServer({ directory: directory.path })

    await stranger.stop()
    await stranger.stop()

    expect(started.pid).toBeNull()
    await rm(directory.path, { recursive: true })
    await started.stop()
  })
})

const STARTER = `
import { PostgresServer } from '@postrider/servers'
const server = new PostgresServer({ directory: process.argv[1] })
await server.start()
process.stdout.write(String(server.pid))
setInterval(() => {}, 1000)
`

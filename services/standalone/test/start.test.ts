import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { waitFor } from '@postrider/testkit'
import { type ServiceProcess, startProcess } from './processes.ts'

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))

interface Ended {
  readonly code: unknown
  readonly stderr: string
}

/** Runs `npm start`'s process, with this environment and no other, until it ends by itself. */
async function start(env: Readonly<Record<string, string>>): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [unknown]
  return { code, stderr }
}

describe('npm start', () => {
  let home: string
  let dataDir: string
  let usedDir: string
  let first: ServiceProcess
  let second: Promise<Ended>

  // A second one waits for ten seconds before it gives up: the other tests go on meanwhile.
  beforeAll(async () => {
    usedDir = await mkdtemp(join(tmpdir(), 'postrider-start-'))
    first = await startProcess('standalone', { DATA_DIR: usedDir, API_PORT: '0' })
    second = start({ DATA_DIR: usedDir, API_PORT: '0' })
  })

  afterAll(async () => {
    await first.stop()
    await rm(usedDir, { recursive: true })
  })

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'postrider-start-'))
    dataDir = join(home, '.data')
  })

  afterEach(async () => {
    await rm(home, { recursive: true })
  })

  it('needs no setting, prints a key that opens the API, and stops cleanly on SIGTERM', async () => {
    const service = await startProcess('standalone', { DATA_DIR: dataDir, API_PORT: '0' })
    const key = /^API key: (pr_\S+)$/m.exec(service.output)?.[1]
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${service.url}/api/v1/tenants`, { headers })).status).toBe(200)
    expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600)
    expect(await service.stop()).toBe(0)
    await expect(fetch(service.url)).rejects.toThrow('fetch failed')
    // Postgres removes its pid file when it has stopped in order.
    const pidFile = join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
    await expect(readFile(pidFile)).rejects.toThrow('ENOENT')

    const again = await startProcess('standalone', { DATA_DIR: dataDir, API_PORT: '0' })
    expect(again.output).toContain(`API key: ${key}\n`)
    expect(await again.stop()).toBe(0)
  })

  it('does not print a key that was given', async () => {
    const env = { DATA_DIR: dataDir, API_PORT: '0', API_KEY: 'a-key-that-the-user-chose' }
    const service = await startProcess('standalone', env)
    await service.stop()
    expect(service.output).toContain('API key: the one that you set in API_KEY\n')
    expect(service.output).not.toContain(env.API_KEY)
  })

  describe('with a port that is taken', () => {
    let taken: Server

    beforeEach(async () => {
      taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
    })

    afterEach(async () => {
      taken.close()
      await once(taken, 'close')
    })

    it('ends with one line before it starts a database', async () => {
      const { port } = taken.address() as { port: number }
      expect(await start({ DATA_DIR: dataDir, API_PORT: String(port) })).toEqual({
        code: 1,
        stderr: `Postrider cannot start: port ${port} of 127.0.0.1 is in use; stop what uses it, or set API_PORT (of a deliverer: DELIVERY_PORT) to another one\n`,
      })
      await expect(stat(join(dataDir, 'postgres'))).rejects.toThrow('ENOENT')
    })
  })

  it.each([
    ['an unwritable data directory', { DATA_DIR: '/proc/postrider' }, /data directory .*: ENOENT/],
    ['a bad setting', { API_PORT: '1x' }, /API_PORT must be an integer from 0 to 65535, not "1x"/],
    [
      'a bad signature template',
      { DESTINATIONS_WEBHOOK_SIGNATURE_HEADER_TEMPLATE: 'v1={{.Signature}}' },
      /DESTINATIONS_WEBHOOK_SIGNATURE_HEADER_TEMPLATE cannot be used at line 1, column 6: there is no field \.Signature here, only \.EventID, \.Topic, \.Timestamp, \.Signatures$/m,
    ],
    [
      'a database that is not there',
      { POSTGRES_URL: 'postgres://postrider@127.0.0.1:1/postrider' },
      /a server that it needs cannot be reached \(connect ECONNREFUSED 127\.0\.0\.1:1\)/,
    ],
  ])('ends with one line for %s', async (_, env, reason) => {
    const { code, stderr } = await start({ DATA_DIR: dataDir, API_PORT: '0', ...env })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Postrider cannot start: .*\n$/)
    expect(stderr).toMatch(reason)
  })

  it('names all bad settings at once', async () => {
    const { code, stderr } = await start({ DATA_DIR: dataDir, API_PORT: '1x', LOG_LEVEL: 'loud' })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Postrider cannot start:\n {2}- LOG_LEVEL .*\n {2}- API_PORT .*\n$/)
  })

  it('stops when it is asked to while it starts', async () => {
    const child = spawn(process.execPath, [MAIN], {
      env: { DATA_DIR: dataDir, API_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
    const ended = once(child, 'close')
    await waitFor(() => printed.includes('starting PostgreSQL'), { what: 'the start' })
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(printed).not.toContain('answers on')
  })

  it('leaves a data directory to the Postrider that uses it', async () => {
    expect(await second).toEqual({
      code: 1,
      stderr: `Postrider cannot start: another Postrider uses the data directory ${usedDir}; stop it, or set DATA_DIR to another one\n`,
    })
    expect((await fetch(`${first.url}/api/v1/readyz`)).status).toBe(200)
    expect(await first.stop()).toBe(0)
  })
})

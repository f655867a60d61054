import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PostgresServer } from '@postrider/servers'
import { freePort } from '@postrider/testkit'
import { Client } from './client.ts'
import { type ServiceProcess, startProcess } from './processes.ts'
import { API_KEY, SHORT_LEASES, testEnvironment } from './settings.ts'
import { Trial, TRIAL_TIMEOUT_MS } from './trial.ts'

describe('the standalone service, killed in a burst of publishes and started again', () => {
  let dataDir: string
  let postgres: PostgresServer
  let service: ServiceProcess
  let client: Client
  let start: () => Promise<void>

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'postrider-'))
    postgres = new PostgresServer({ directory: join(dataDir, 'postgres') })
    const env = testEnvironment({
      ...SHORT_LEASES,
      DATA_DIR: dataDir,
      API_PORT: String(await freePort()),
    })
    start = async () => {
      service = await startProcess('standalone', env)
      client = new Client(service.url, API_KEY)
    }
    await start()
    await postgres.start() // adopts the one that the service has started
  })

  afterEach(async () => {
    await service.stop()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  const deaths = [
    { what: 'while its Postgres survives', survives: true, endPostgres: async () => undefined },
    {
      what: 'together with its Postgres',
      survives: false,
      endPostgres: async () => await postgres.kill(),
    },
  ]
  it.each(deaths)(
    'delivers every event that got a 202, $what',
    async ({ survives, endPostgres }) => {
      const { pid } = postgres
      await using trial = await Trial.start(client)
      await trial.arrivals(50)
      await trial.burst.reached(250)
      await service.kill()
      await endPostgres()
      await trial.burst.end()
      await start()
      const { missing, doubled } = await trial.tally(client)
      expect(missing).toEqual([])
      // What it had in its hands when it died.
      expect(doubled).toBeLessThanOrEqual(Number(SHORT_LEASES.DELIVERY_WINDOW))
      await postgres.start()
      expect(postgres.pid === pid).toBe(survives)
    },
    TRIAL_TIMEOUT_MS,
  )
})

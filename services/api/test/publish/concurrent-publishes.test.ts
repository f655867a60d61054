import { Agent } from 'node:http'
import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import { collectJobs, insertTenant, openService, readStored } from './publish-fixture.ts'

describe('1 000 publishes of one id at once', () => {
  let database: TestDatabase
  const cleanups: (() => PromiseLike<void> | void)[] = []

  beforeAll(async () => {
    database = await createTestDatabase()
  })

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  })

  afterAll(async () => {
    await database[Symbol.asyncDispose]()
  })

  it.each([
    ['one process', 1],
    ['two processes', 2],
  ])('over 256 sockets to %s make one event, one delivery and 999 duplicates', async (_, count) => {
    const services = Array.from({ length: count }, () => openService({ database }))
    cleanups.push(...services.map((service) => () => service[Symbol.asyncDispose]()))
    const ports = await Promise.all(services.map(async ({ api }) => (await api.start()).port))
    const jobs = await Promise.all(services.map((service) => collectJobs(service.jobs)))
    const agent = new Agent({ keepAlive: true, maxSockets: 256 / count })
    cleanups.push(() => agent.destroy())
    const [service] = services
    if (service === undefined) throw new Error('there is a service')
    const { tenant } = await insertTenant(service.store, { id: 'the-one' })

    const answers = await Promise.all(
      Array.from({ length: 1000 }, (__, n) =>
        service
          .publishTo(ports[n % count] ?? 0, { id: 'one', tenant_id: tenant.id, data: { n: 1 } })
          .agent(agent),
      ),
    )

    const isDuplicate = answers.map(({ body }) => body.duplicate)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    expect(isDuplicate.filter((duplicate) => duplicate === false)).toHaveLength(1)
    expect(isDuplicate.filter((duplicate) => duplicate === true)).toHaveLength(999)
    for (const { body } of answers) {
      expect(body).toMatchObject({ id: 'one', destination_ids: ['the-one'] })
    }
    const stored = await readStored(service.store, tenant.uid)
    expect(stored.events).toHaveLength(1)
    expect(stored.deliveries).toHaveLength(1)
    expect(jobs.flat()).toHaveLength(1)
  })
})

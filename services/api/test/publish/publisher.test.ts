import {
  createTestDatabase,
  silentLog,
  startFaultProxy,
  type TestDatabase,
} from '@postrider/testkit'
import type { Publication } from '../../src/publish/publication.ts'
import { OverloadedError, Publisher } from '../../src/publish/publisher.ts'
import { insertTenant, openService, readStored, type Service } from './publish-fixture.ts'

function publicationOf(given: Partial<Publication> & Pick<Publication, 'tenantId'>): Publication {
  return {
    id: null,
    topic: '',
    destinationId: null,
    isEligibleForRetry: true,
    timeMs: null,
    metadata: {},
    data: Buffer.from('{}'),
    parsedData: {},
    ...given,
  }
}

function openPublisher(service: Service): Publisher {
  return new Publisher({ ...service, log: silentLog, windowMs: 86_400_000, leaseMs: 120_000 })
}

describe('the publisher', () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await createTestDatabase()
  })

  afterAll(async () => {
    await database[Symbol.asyncDispose]()
  })

  it('lets a publish succeed whose fellow with the same id, before it in the batch, is refused', async () => {
    await using service = openService({ database })
    const publisher = openPublisher(service)
    const { tenant } = await insertTenant(service.store)
    const poison = { tenantId: tenant.id, id: 'shared', topic: 'not\u0000text' }
    const publications = [poison, { ...poison, topic: 'text' }, { ...poison, topic: 'text' }]

    const answers = await Promise.allSettled(
      publications.map((given) => publisher.publish(publicationOf(given))),
    )

    expect(answers).toMatchObject([
      { status: 'rejected', reason: { code: '22021' } },
      { status: 'fulfilled', value: { kind: 'accepted', isDuplicate: false } },
      { status: 'fulfilled', value: { kind: 'accepted', isDuplicate: true } },
    ])
    expect((await readStored(service.store, tenant.uid)).events).toHaveLength(1)
  })

  it('turns publishes away when too many wait already, and answers those that wait', async () => {
    const url = new URL(database.url)
    const proxy = await startFaultProxy({ host: url.hostname, port: Number(url.port) })
    url.host = `${proxy.host}:${proxy.port}`
    const service = openService({ database, postgresUrl: url.href })
    try {
      const publisher = openPublisher(service)
      proxy.stall('up', true)
      const waiting = Array.from({ length: 20_000 }, () =>
        publisher.publish(publicationOf({ tenantId: 'nobody' })),
      )

      await expect(publisher.publish(publicationOf({ tenantId: 'nobody' }))).rejects.toBeInstanceOf(
        OverloadedError,
      )

      proxy.stall('up', false)
      const answers = await Promise.all(waiting)
      expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['tenant-not-found']))
      await publisher.stop()
    } finally {
      await service[Symbol.asyncDispose]()
      await proxy.stop()
    }
  })
})

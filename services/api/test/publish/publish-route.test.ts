import type { Job } from '@postrider/common'
import { createTestDatabase, type TestDatabase, waitFor } from '@postrider/testkit'
import {
  collectJobs,
  insertTenant,
  openService,
  readStored,
  type Service,
} from './publish-fixture.ts'

/**
 * POST /publish on the real app, on real Postgres:
 * - what is accepted, stored and handed to the queue
 * - which destinations match
 * - ids that come again
 * - what is refused, and with which words
 */
describe('POST /publish', () => {
  let database: TestDatabase
  let service: Service
  let jobs: readonly Job[]

  beforeAll(async () => {
    database = await createTestDatabase()
    service = openService({ database })
    jobs = await collectJobs(service.jobs)
  })

  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  const jobOf = (eventId: string): Promise<Job> =>
    waitFor(() => jobs.find((job) => job.eventId === eventId), { what: `the job of ${eventId}` })

  it('keeps an event as it was published and hands its job to the queue', async () => {
    const { tenant, destinations } = await insertTenant(service.store, {})

    const { status, body } = await service.publish({
      id: 'order:1',
      tenant_id: tenant.id,
      topic: 'order.paid',
      time: '2001-02-03T04:05:06.7899+01:00',
      metadata: { source: 'shop "A"', 'x-1': 'ä' },
      eligible_for_retry: false,
      data: { amount: 5 },
    })

    const destinationIds = destinations.map(({ id }) => id)
    expect(status).toBe(202)
    expect(body).toEqual({ id: 'order:1', duplicate: false, destination_ids: destinationIds })
    const { events, deliveries } = await readStored(service.store, tenant.uid)
    expect(events).toMatchObject([
      {
        id: 'order:1',
        topic: 'order.paid',
        time: new Date('2001-02-03T03:05:06.789Z'),
        metadata: { source: 'shop "A"', 'x-1': 'ä' },
        data: '{"amount":5}',
        eligible_for_retry: false,
        matched_destination_ids: destinationIds,
      },
    ])
    expect(deliveries).toMatchObject([{ status: 'pending', leased: true, dispatch: 1 }])
    expect(await jobOf('order:1')).toMatchObject({
      queue: 'fresh',
      tenantUid: tenant.uid,
      destinationUid: destinations[0]?.uid,
      dispatch: 1,
      topic: 'order.paid',
      timeMs: Date.parse('2001-02-03T03:05:06.789Z'),
      metadata: { source: 'shop "A"', 'x-1': 'ä' },
      verify: false,
      manual: false,
      data: Buffer.from('{"amount":5}'),
    })
  })

  it('keeps and hands on data byte for byte', async () => {
    const { tenant } = await insertTenant(service.store, {})
    const data = '{"n":12345678901234567890,"f":1.10,\n "u":"\\u00e9é","s":"a\\/b" }'

    const { body } = await service
      .publish(`{ "tenant_id": "${tenant.id}", "id": "exact", "d\\u0061ta" : ${data} }`)
      .expect(202)

    expect(body).toMatchObject({ id: 'exact' })
    expect((await readStored(service.store, tenant.uid)).events).toMatchObject([{ data }])
    expect((await jobOf('exact')).data?.toString()).toBe(data)
  })

  it('leaves data above 64 KiB in Postgres, the job goes without', async () => {
    const { tenant } = await insertTenant(service.store, {})
    const data = { text: 'x'.repeat(64 * 1024) }

    await service.publish({ tenant_id: tenant.id, id: 'large', data }).expect(202)

    expect((await jobOf('large')).data).toBeNull()
    const { events } = await readStored(service.store, tenant.uid)
    expect(events[0]?.data).toBe(JSON.stringify(data))
  })

  it('makes what is not given: an id, now as the time, nothing as topic and metadata', async () => {
    const { tenant } = await insertTenant(service.store, {})

    const { body } = await service.publish({ tenant_id: tenant.id, data: {} }).expect(202)

    expect(body).toMatchObject({ id: expect.stringMatching(/^evt_[0-9a-f]{32}$/) })
    const { events } = await readStored(service.store, tenant.uid)
    expect(events).toMatchObject([
      { topic: '', metadata: {}, data: '{}', eligible_for_retry: true },
    ])
    const [event] = events
    const ageMs = Number(event?.received_at) - Number(event?.time)
    expect(ageMs).toBeGreaterThanOrEqual(0)
    expect(ageMs).toBeLessThan(5000)
  })

  describe('matching', () => {
    it('goes to the destinations whose topics and filter match, and to no others', async () => {
      const { tenant, destinations } = await insertTenant(
        service.store,
        { id: 'all', topics: ['*'] },
        { id: 'other-topic', topics: ['user.deleted'] },
        { id: 'topic', topics: ['user.deleted', 'user.created'] },
        { id: 'filter', filter: { data: { plan: 'pro' }, metadata: { region: 'eu' } } },
        { id: 'other-filter', filter: { data: { plan: 'free' } } },
        { id: 'gone', deletedAt: new Date() },
      )

      const { body } = await service
        .publish({
          tenant_id: tenant.id,
          topic: 'user.created',
          metadata: { region: 'eu' },
          data: { plan: 'pro' },
        })
        .expect(202)

      expect(destinations).toHaveLength(6)
      expect(body.destination_ids.toSorted()).toEqual(['all', 'filter', 'topic'])
    })

    it('takes an event without a topic to destinations of any topic', async () => {
      const { tenant } = await insertTenant(service.store, {
        id: 'topic',
        topics: ['user.created'],
      })

      const { body } = await service.publish({ tenant_id: tenant.id, data: {} }).expect(202)

      expect(body).toMatchObject({ destination_ids: ['topic'] })
    })

    it('keeps an event that matches nothing', async () => {
      const { tenant } = await insertTenant(service.store, { topics: ['user.deleted'] })

      const { body } = await service
        .publish({ tenant_id: tenant.id, topic: 'user.created', data: {} })
        .expect(202)

      expect(body).toMatchObject({ destination_ids: [] })
      const { events, deliveries } = await readStored(service.store, tenant.uid)
      expect(events).toHaveLength(1)
      expect(deliveries).toEqual([])
    })

    it('skips a disabled destination, and says so', async () => {
      const { tenant } = await insertTenant(service.store, { id: 'off', disabledAt: new Date() })

      const { body } = await service.publish({ tenant_id: tenant.id, data: {} }).expect(202)

      expect(body).toMatchObject({ destination_ids: ['off'] })
      expect((await readStored(service.store, tenant.uid)).deliveries).toMatchObject([
        {
          status: 'skipped',
          reason: 'destination_disabled',
          leased: false,
          dispatch: 0,
          is_due: null,
        },
      ])
    })

    it('goes to the destination that is named, whatever its topics, if its filter matches', async () => {
      const { tenant } = await insertTenant(
        service.store,
        { id: 'named', topics: ['user.deleted'], filter: { data: { plan: 'pro' } } },
        { id: 'other' },
      )
      const publish = (plan: string) =>
        service.publish({
          tenant_id: tenant.id,
          topic: 'user.created',
          destination_id: 'named',
          data: { plan },
        })

      expect((await publish('pro')).body).toMatchObject({ destination_ids: ['named'] })
      expect((await publish('free')).body).toMatchObject({ destination_ids: [] })
    })

    it('sees at once what another process changed about the destinations of a tenant', async () => {
      await using another = openService({ database })
      const { tenant } = await insertTenant(service.store)
      const publish = async (): Promise<unknown> => {
        const { body } = await service.publish({ tenant_id: tenant.id, data: {} }).expect(202)
        return body.destination_ids
      }
      const path = `/tenants/${tenant.id}/destinations`
      expect(await publish()).toEqual([])

      await another
        .send('POST', path, {
          id: 'new',
          type: 'webhook',
          topics: ['*'],
          config: { url: 'https://example.com/' },
        })
        .expect(201)
      expect(await publish()).toEqual(['new'])

      await another.send('PATCH', `${path}/new`, { filter: { data: { never: true } } }).expect(200)
      expect(await publish()).toEqual([])

      await another.send('PATCH', `${path}/new`, { filter: null }).expect(200)
      await another.send('DELETE', `${path}/new`).expect(200)
      expect(await publish()).toEqual([])
    })
  })

  describe('ids that come again', () => {
    it('answers a repeated publish like the first one and does nothing', async () => {
      const { tenant } = await insertTenant(service.store, { id: 'first' })
      const event = { id: 'again', tenant_id: tenant.id, topic: 'a', data: { n: 1 } }
      await service.publish(event).expect(202)

      const { body } = await service.publish({ ...event, metadata: { other: 'x' } }).expect(202)

      expect(body).toEqual({ id: 'again', duplicate: true, destination_ids: ['first'] })
      const { events, deliveries } = await readStored(service.store, tenant.uid)
      expect(events).toHaveLength(1)
      expect(deliveries).toHaveLength(1)
    })

    it.each([
      ['topic', { topic: 'b' }],
      ['data', { data: { n: 2 } }],
      ['spelling of the data', { data: { n: 1, m: 1 } }],
    ])('refuses an id that stands for an event with another %s', async (_, change) => {
      const { tenant } = await insertTenant(service.store, {})
      const event = { id: 'again', tenant_id: tenant.id, topic: 'a', data: { m: 1, n: 1 } }
      await service.publish(event).expect(202)

      const { status, body } = await service.publish({ ...event, ...change })

      expect(status).toBe(409)
      expect(body).toMatchObject({ code: 'event_id_conflict' })
      expect((await readStored(service.store, tenant.uid)).events).toHaveLength(1)
    })

    it('knows a repeated publish also when its destination is gone by now', async () => {
      const { tenant } = await insertTenant(service.store, { id: 'gone' })
      const event = { id: 'again', tenant_id: tenant.id, destination_id: 'gone', data: {} }
      await service.publish(event).expect(202)
      await service.send('DELETE', `/tenants/${tenant.id}/destinations/gone`).expect(200)

      const { body } = await service.publish(event).expect(202)

      expect(body).toEqual({ id: 'again', duplicate: true, destination_ids: ['gone'] })
    })

    it('lets two tenants use the same id', async () => {
      const [one, two] = [await insertTenant(service.store), await insertTenant(service.store)]
      const publish = ({ tenant }: typeof one) =>
        service.publish({ id: 'same', tenant_id: tenant.id, data: { of: tenant.id } })

      const answers = await Promise.all([publish(one), publish(two)])

      expect(answers.map(({ body }) => body.duplicate)).toEqual([false, false])
    })

    it('answers each of those that come at once for what it brought', async () => {
      const { tenant } = await insertTenant(service.store)
      const publish = (n: number) =>
        service.publish({ id: 'at-once', tenant_id: tenant.id, data: { n } })

      const answers = await Promise.all([1, 2, 1, 2, 1, 2].map(publish))

      const accepted = answers.filter(({ status }) => status === 202)
      const refused = answers.filter(({ status }) => status === 409)
      expect([accepted.length, refused.length]).toEqual([3, 3])
      expect(accepted.filter(({ body }) => body.duplicate === false)).toHaveLength(1)
    })
  })

  describe('refusals', () => {
    it('does not know the tenant', async () => {
      const { status, body } = await service.publish({ tenant_id: 'nobody', data: {} })

      expect([status, body.code]).toEqual([404, 'tenant_not_found'])
    })

    it.each([undefined, 'an-id'])('does not know the destination (id %s)', async (id) => {
      const { tenant } = await insertTenant(service.store, {})

      const { status, body } = await service.publish({
        id,
        tenant_id: tenant.id,
        destination_id: 'nowhere',
        data: {},
      })

      expect([status, body.code]).toEqual([404, 'destination_not_found'])
      expect((await readStored(service.store, tenant.uid)).events).toEqual([])
    })

    it.each<[string, object, string]>([
      ['no tenant', { tenant_id: undefined }, 'tenant_id is required'],
      ['no data', { data: undefined }, 'data is required'],
      ['data that is no object', { data: [] }, 'data must be an object'],
      ['an odd id', { id: 'a b' }, 'id must be 1 to 128 of A-Z a-z 0-9 . _ : -'],
      ['a topic with a space', { topic: 'a b' }, 'topic must be 1 to 255 visible ASCII characters'],
      [
        'a long topic',
        { topic: 'x'.repeat(256) },
        'topic must be 1 to 255 visible ASCII characters',
      ],
      ['a time without a zone', { time: '2026-01-01T00:00:00' }, 'time must be a time of RFC 3339'],
      ['a day that is not', { time: '2026-02-30T00:00:00Z' }, 'time must be a time of RFC 3339'],
      [
        'a time before 1970',
        { time: '1970-01-01T00:30:00+01:00' },
        'time must be in the years 1970 to 9999',
      ],
      ['metadata that is no text', { metadata: { n: 1 } }, 'metadata.n must be a string'],
      ['an unknown member', { payload: {} }, 'payload is not a known member'],
      [
        'a control character in metadata',
        { metadata: { n: 'a\u0000b' } },
        'metadata.n must be at most 4 KiB without control characters',
      ],
      [
        'half a surrogate pair in metadata',
        { metadata: { n: '\ud800' } },
        'metadata.n must be at most 4 KiB without control characters',
      ],
    ])('refuses %s', async (_, change, sentence) => {
      const { status, body } = await service.publish({ tenant_id: 'any', data: {}, ...change })

      expect([status, body.code]).toEqual([422, 'validation_error'])
      expect(body.data).toEqual([sentence])
    })

    it('names a key that is given twice along with all other faults', async () => {
      const { status, body } = await service.publish(
        '{"tenant_id":"a","topic":"a b","data":{"x":1,"x":2},"d\\u0061ta":{}}',
      )

      expect(status).toBe(422)
      expect(body.data.toSorted()).toEqual([
        'data must be given once',
        'topic must be 1 to 255 visible ASCII characters',
      ])
    })

    it('refuses data over its limit before anything else is said about the body', async () => {
      await using limited = openService({ database, env: { MAX_EVENT_DATA_BYTES: '1024' } })
      const { tenant } = await insertTenant(service.store)

      await limited.publish({ tenant_id: tenant.id, data: dataOf(1024) }).expect(202)
      const { status, body } = await limited.publish({ odd: true, data: dataOf(1025) })

      expect([status, body.code]).toEqual([413, 'payload_too_large'])
      expect(body.message).toContain('MAX_EVENT_DATA_BYTES')
    })

    it('takes configured topics only, and asks for one', async () => {
      await using configured = openService({
        database,
        env: { TOPICS: 'user.created,user.deleted' },
      })
      const { tenant } = await insertTenant(service.store)
      const publish = (topic?: string) =>
        configured.publish({ tenant_id: tenant.id, topic, data: {} })

      await publish('user.created').expect(202)
      expect((await publish('user.renamed')).body.data).toEqual([
        'topic must be one of user.created, user.deleted',
      ])
      expect((await publish()).body.data).toEqual(['topic is required'])
    })
  })
})

/** Data of so many bytes. */
function dataOf(bytes: number): object {
  return { x: 'y'.repeat(bytes - '{"x":""}'.length) }
}

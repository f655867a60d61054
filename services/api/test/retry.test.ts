import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import { makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

describe('/retry', () => {
  let database: TestDatabase
  let api: TestApi

  beforeAll(async () => {
    database = await createTestDatabase()
    api = openApi({ postgresUrl: database.url })
  })

  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  /** A tenant and an event that nobody was subscribed to. */
  async function unmatched(): Promise<{ tenant: string; event: string }> {
    const tenant = await makeTenant(api)
    const { body } = await api
      .post('/publish', { tenant_id: tenant, topic: 'user.created', data: { amount: 1 } })
      .expect(202)
    return { tenant, event: (body as { id: string }).id }
  }

  const retry = (event: string, destination: string): ReturnType<TestApi['post']> =>
    api.post('/retry', { event_id: event, destination_id: destination })

  async function deliveriesOf(event: string): Promise<unknown> {
    const { body } = await api.get(`/events/${event}`).expect(200)
    return (body as { deliveries: unknown }).deliveries
  }

  it('opens a delivery to a destination that was made after the event', async () => {
    const { tenant, event } = await unmatched()
    await api.post(`/tenants/${tenant}/destinations`, webhook({ id: 'late' })).expect(201)

    const { body } = await retry(event, 'late').expect(202)

    expect(body).toEqual({ success: true })
    expect(await deliveriesOf(event)).toMatchObject([
      { destination_id: 'late', status: 'pending', next_attempt_at: expect.any(String) as unknown },
    ])
  })

  it('opens what was skipped while its destination was disabled', async () => {
    const tenant = await makeTenant(api)
    const path = `/tenants/${tenant}/destinations`
    await api.post(path, webhook({ id: 'd', disabled_at: '2026-01-01T00:00:00Z' })).expect(201)
    const { body } = await api
      .post('/publish', { tenant_id: tenant, topic: 'a', data: {} })
      .expect(202)
    const { id } = body as { id: string }

    const refused = await retry(id, 'd').expect(409)
    await api.put(`${path}/d/enable`).expect(200)
    await retry(id, 'd').expect(202)

    expect(refused.body).toMatchObject({ code: 'destination_disabled' })
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'pending', reason: null }])
  })

  it('refuses a destination that the event does not match', async () => {
    const { tenant, event } = await unmatched()
    const path = `/tenants/${tenant}/destinations`
    await api.post(path, webhook({ id: 'topic', topics: ['order.paid'] })).expect(201)
    await api.post(path, webhook({ id: 'filter', filter: { data: { amount: 2 } } })).expect(201)

    const topic = await retry(event, 'topic').expect(422)
    const filter = await retry(event, 'filter').expect(422)

    expect(topic.body).toMatchObject({
      data: [
        'destination_id names a destination that does not subscribe to the topic of the event',
      ],
    })
    expect(filter.body).toMatchObject({
      data: ['destination_id names a destination whose filter the event does not pass'],
    })
    expect(await deliveriesOf(event)).toEqual([])
  })

  it('knows neither unknown events nor unknown or deleted destinations', async () => {
    const { tenant, event } = await unmatched()
    const path = `/tenants/${tenant}/destinations`
    await api.post(path, webhook({ id: 'deleted' })).expect(201)
    await api.delete(`${path}/deleted`).expect(200)

    expect((await retry('evt_none', 'deleted').expect(404)).body).toMatchObject({
      code: 'event_not_found',
    })
    for (const id of ['deleted', 'unknown']) {
      const { body } = await retry(event, id).expect(404)
      expect(body).toMatchObject({ code: 'destination_not_found' })
    }
  })

  it('says what its body lacks', async () => {
    const { body } = await api.post('/retry', { colour: 'red' }).expect(422)

    expect((body as { data: string[] }).data.toSorted()).toEqual([
      'colour is not a known member',
      'destination_id is required',
      'event_id is required',
    ])
  })
})

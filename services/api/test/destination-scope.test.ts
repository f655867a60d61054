import { attemptIdOf } from '@postrider/common'
import { createTestDatabase, eventRow, insertRows, type TestDatabase } from '@postrider/testkit'
import { type DeliveredEvent, makeDeliveredEvent } from './delivered-event.ts'
import { openApi, type TestApi, webhook } from './open-api.ts'

interface Model {
  readonly id: string
  readonly status: string
}

describe('what belongs to one destination', () => {
  let database: TestDatabase
  let api: TestApi
  let delivered: DeliveredEvent
  let path: string

  beforeAll(async () => {
    database = await createTestDatabase()
    api = openApi({ postgresUrl: database.url })
  })

  beforeEach(async () => {
    delivered = await makeDeliveredEvent(api)
    path = `/tenants/${delivered.tenant}/destinations`
  })

  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  const listed = async (of: string): Promise<Model[]> => {
    const { body } = await api.get(of).expect(200)
    return (body as { models: Model[] }).models.map(({ id, status }) => ({ id, status }))
  }

  const codeOf = async (of: string): Promise<string> => {
    const { body } = await api.get(of).expect(404)
    return (body as { code: string }).code
  }

  it('are its attempts and no others', async () => {
    const [good, bad] = [attemptIdOf(delivered.succeeded.uid), attemptIdOf(delivered.failed.uid)]

    expect(await listed(`${path}/good/attempts`)).toEqual([{ id: good, status: 'success' }])
    expect(await listed(`${path}/bad/attempts`)).toEqual([{ id: bad, status: 'failed' }])
    expect(await listed(`${path}/bad/attempts?status=success`)).toEqual([])
    const { body } = await api.get(`${path}/bad/attempts/${bad}?include=destination`).expect(200)
    expect(body).toMatchObject({ id: bad, destination: { id: 'bad' } })
    expect(await codeOf(`${path}/bad/attempts/${good}`)).toBe('attempt_not_found')
    expect(await codeOf(`${path}/bad/attempts/att_none`)).toBe('attempt_not_found')
  })

  it('are not those of a destination that had its id before', async () => {
    const bad = attemptIdOf(delivered.failed.uid)
    await api.delete(`${path}/bad`).expect(200)
    expect(await codeOf(`${path}/bad/attempts`)).toBe('destination_not_found')
    expect(await codeOf(`${path}/bad/events`)).toBe('destination_not_found')

    await api.post(path, webhook({ id: 'bad' })).expect(201)

    expect(await listed(`${path}/bad/attempts`)).toEqual([])
    expect(await listed(`${path}/bad/events`)).toEqual([])
    expect(await codeOf(`${path}/bad/attempts/${bad}`)).toBe('attempt_not_found')
    expect(await codeOf(`${path}/bad/events/${delivered.event.id}`)).toBe('event_not_found')
  })

  it('are its events, with the status of what it got itself', async () => {
    const { id } = delivered.event
    const { body } = await api.get(`/tenants/${delivered.tenant}/events/${id}`).expect(200)
    expect(body.status).toBe('failed')

    expect(await listed(`${path}/good/events`)).toEqual([{ id, status: 'success' }])
    expect(await listed(`${path}/bad/events`)).toEqual([{ id, status: 'failed' }])
    expect(await listed(`${path}/good/events?status=success&id=${id}`)).toHaveLength(1)
    expect(await listed(`${path}/good/events?status=failed`)).toEqual([])
    expect(await listed(`${path}/good/events?event_id=other`)).toEqual([])
    expect(await listed(`${path}/good/events?topic=other`)).toEqual([])
    expect(await listed(`${path}/good/events?time[gt]=9999-12-31`)).toEqual([])
  })

  it('is one event with the bytes of its data', async () => {
    const answer = await api.get(`${path}/good/events/${delivered.event.id}`).expect(200)

    expect(answer.body).toMatchObject({ id: delivered.event.id, status: 'success' })
    expect(answer.body).not.toHaveProperty('deliveries')
    expect(answer.text).toContain(`"data":${delivered.event.data}`)
  })

  it('is no event that went elsewhere', async () => {
    const elsewhere = eventRow({ tenantUid: delivered.tenantUid })
    await insertRows(api.store.pools.query, { events: [elsewhere] })

    expect(await codeOf(`${path}/good/events/${elsewhere.id}`)).toBe('event_not_found')
    expect(await listed(`${path}/good/events`)).toHaveLength(1)
  })

  it.each(['attempts', 'attempts/att_none', 'events', 'events/none'])(
    'is nothing when there is no destination, or no tenant: %s',
    async (rest) => {
      expect(await codeOf(`${path}/none/${rest}`)).toBe('destination_not_found')
      expect(await codeOf(`/tenants/nobody/destinations/none/${rest}`)).toBe('tenant_not_found')
    },
  )

  it('comes in pages whose cursors are those of this destination', async () => {
    const second = await makeDeliveredEvent(api)
    const both = [delivered, second].map(({ tenant }) => `/tenants/${tenant}/destinations/good`)
    for (const list of ['attempts', 'events']) {
      const [own = '', others = ''] = both.map((of) => `${of}/${list}`)
      await insertMore(second)
      const { body } = await api.get(`${others}?limit=1`).expect(200)
      const { next } = (body as { pagination: { next: string } }).pagination
      await api.get(`${others}?limit=1&next=${next}`).expect(200)
      const refused = await api.get(`${own}?next=${next}`).expect(422)
      expect(refused.body.data).toEqual(['next is not a cursor of this list in this direction'])
    }
  })

  /** Another event to `good`, so that there is another page. */
  async function insertMore({ tenant }: DeliveredEvent): Promise<void> {
    await api.post('/publish', { tenant_id: tenant, data: {} }).expect(202)
    await api.store.pools.query.query(
      `insert into attempts select a.received_at, gen_random_uuid(), a.event_uid, a.destination_uid,
         a.tenant_uid, 2, 2, a.status, a.code, a.time, 1, false
       from attempts a join tenants t on t.uid = a.tenant_uid where t.id = $1 and a.number = 1`,
      [tenant],
    )
  }

  it('is told as deprecated where it is, with what to use instead', async () => {
    const { tenant, event } = delivered
    const bases = `/api/v1/tenants/${tenant}`
    const replacements = [
      [`${path}/good/events`, `${bases}/events?destination_id=good`],
      [`${path}/good/events/${event.id}`, `${bases}/events/${event.id}`],
      [
        `/tenants/${tenant}/events/${event.id}/deliveries`,
        `/api/v1/attempts?tenant_id=${tenant}&event_id=${event.id}`,
      ],
    ]
    for (const [old = '', successor] of replacements) {
      const { headers } = await api.get(old).expect(200)
      expect(headers).toMatchObject({
        deprecation: 'true',
        link: `<${successor}>; rel="successor-version"`,
      })
    }
    const { headers } = await api.get(`${path}/good/attempts`).expect(200)
    expect(headers).not.toHaveProperty('deprecation')
  })
})

describe('the deliveries of an event', () => {
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

  it('are the attempts to all destinations, the newest first', async () => {
    const { tenant, event, failed, succeeded } = await makeDeliveredEvent(api)

    const { body } = await api.get(`/tenants/${tenant}/events/${event.id}/deliveries`).expect(200)

    expect(body).toMatchObject([
      { id: attemptIdOf(succeeded.uid), destination_id: 'good', attempt_number: 1 },
      { id: attemptIdOf(failed.uid), destination_id: 'bad', event_id: event.id },
    ])
  })

  it('are none before the first attempt', async () => {
    const { tenant, tenantUid } = await makeDeliveredEvent(api)
    const fresh = eventRow({ tenantUid })
    await insertRows(api.store.pools.query, { events: [fresh] })

    const { body } = await api.get(`/tenants/${tenant}/events/${fresh.id}/deliveries`).expect(200)

    expect(body).toEqual([])
  })

  it('are not found without the event, or the tenant', async () => {
    const { tenant, event } = await makeDeliveredEvent(api)

    const none = await api.get(`/tenants/${tenant}/events/none/deliveries`).expect(404)
    const nobody = await api.get(`/tenants/nobody/events/${event.id}/deliveries`).expect(404)

    expect(none.body.code).toBe('event_not_found')
    expect(nobody.body.code).toBe('tenant_not_found')
  })
})

import {
  createTestDatabase,
  eventRow,
  insertRows,
  tenantRow,
  type TestDatabase,
} from '@postrider/testkit'
import request from 'supertest'
import { API_KEY, makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

interface Listed {
  readonly models: readonly { readonly id: string; readonly status: string }[]
  readonly pagination: { readonly next: string | null; readonly prev: string | null }
}

function idsOf({ models }: Listed): string[] {
  return models.map(({ id }) => id)
}

/** A time of one day, by its hour. */
function at(hour: string): string {
  return `2026-01-02T${hour}:00:00.000Z`
}

describe('events', () => {
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

  async function publish(tenantId: string, body: object = {}): Promise<string> {
    const answer = await api
      .post('/publish', { tenant_id: tenantId, topic: 'user.created', data: {}, ...body })
      .expect(202)
    return (answer.body as { id: string }).id
  }

  async function list(path: string): Promise<Listed> {
    const { body } = await api.get(path).expect(200)
    return body as Listed
  }

  it('are answered with the bytes of data as they were published', async () => {
    const tenant = await makeTenant(api)
    const data = '{ "n":12345678901234567890, "f":1.10,\n"u":"\\u00e9é","s":"a\\/b" }'
    const published = await request(api.api.app)
      .post('/api/v1/publish')
      .auth(API_KEY, { type: 'bearer' })
      .type('application/json')
      .send(`{"tenant_id":"${tenant}","topic":"a","metadata":{"k":"v"},"data":${data}}`)
      .expect(202)
    const { id } = published.body as { id: string }

    const one = await api.get(`/tenants/${tenant}/events/${id}`).expect(200)
    const same = await api.get(`/events/${id}`).expect(200)
    const page = await api.get(`/events?tenant_id=${tenant}`).expect(200)

    for (const { text } of [one, same, page]) expect(text).toContain(`"data":${data}`)
    expect(one.body).toMatchObject({ id, tenant_id: tenant, topic: 'a', metadata: { k: 'v' } })
  })

  it('are in the list as soon as the publish was answered, with what became of them', async () => {
    const tenant = await makeTenant(api)
    const unmatched = await publish(tenant)
    await api.post(`/tenants/${tenant}/destinations`, webhook({ id: 'on' })).expect(201)
    const pending = await publish(tenant)
    await api.put(`/tenants/${tenant}/destinations/on/disable`).expect(200)
    const skipped = await publish(tenant)

    const { models } = await list(`/tenants/${tenant}/events`)
    const statuses = Object.fromEntries(models.map(({ id, status }) => [id, status]))

    expect(statuses).toEqual({
      [unmatched]: 'unmatched',
      [pending]: 'pending',
      [skipped]: 'skipped',
    })
    const one = await api.get(`/events/${skipped}`).expect(200)
    expect(one.body).toMatchObject({
      eligible_for_retry: true,
      matched_destination_ids: ['on'],
      deliveries: [
        {
          destination_id: 'on',
          destination_type: 'webhook',
          status: 'skipped',
          reason: 'destination_disabled',
          attempts: 0,
          next_attempt_at: null,
        },
      ],
    })
  })

  it('are filtered by what each parameter says, and by all of them together', async () => {
    const tenant = await makeTenant(api)
    await api
      .post(`/tenants/${tenant}/destinations`, webhook({ id: 'd', topics: ['b', 'c'] }))
      .expect(201)
    const a = await publish(tenant, { id: 'a', topic: 'a', time: at('10') })
    const b = await publish(tenant, { id: 'b', topic: 'b', time: at('11') })
    const c = await publish(tenant, { id: 'c', topic: 'c', time: at('12') })
    const found = async (query: string): Promise<string[]> =>
      idsOf(await list(`/tenants/${tenant}/events?${query}`))

    expect(await found('')).toEqual([c, b, a])
    expect(await found('dir=asc&order_by=time')).toEqual([a, b, c])
    expect(await found('topic=a&topic[]=b')).toEqual([b, a])
    expect(await found('destination_id=d')).toEqual([c, b])
    expect(await found('id[0]=a&id[1]=c')).toEqual([c, a])
    expect(await found('event_id=a&event_id=b&id=b')).toEqual([b])
    expect(await found('status=pending&topic=b')).toEqual([b])
    expect(await found(`time[gte]=${at('11')}`)).toEqual([c, b])
    expect(await found(`time[gt]=${at('11')}`)).toEqual([c])
    expect(await found(`time[lte]=${at('11')}`)).toEqual([b, a])
    expect(await found('time[lt]=2026-01-02T12:00:00%2B01:00')).toEqual([a])
    expect(await found('time[gte]=2026-01-02&time[lt]=2026-01-03')).toEqual([c, b, a])
    expect(await found('time[gte]=9999-12-31T23:59:59-23:59')).toEqual([])
    expect(await found('destination_id=unknown')).toEqual([])
  })

  it('come in pages whose cursors lead there and back', async () => {
    const tenant = await makeTenant(api)
    const time = '2026-01-02T10:00:00.000Z'
    for (const id of ['1', '2', '3', '4', '5']) await publish(tenant, { id, time })
    const path = `/events?tenant_id=${tenant}&limit=2`

    const first = await list(path)
    const second = await list(`${path}&next=${first.pagination.next}`)
    const third = await list(`${path}&next=${second.pagination.next}`)
    const back = await list(`${path}&prev=${third.pagination.prev}`)

    expect([first, second, third].flatMap(idsOf)).toEqual(['5', '4', '3', '2', '1'])
    expect(idsOf(back)).toEqual(idsOf(second))
    expect(first.pagination).toEqual({
      order_by: 'time',
      dir: 'desc',
      limit: 2,
      next: expect.any(String) as unknown,
      prev: null,
    })
    expect(third.pagination.next).toBeNull()
  })

  it.each([
    ['limit=0', 'limit must be at least 1'],
    ['limit=1001', 'limit must be at most 1000'],
    ['limit=ten', 'limit must be an integer'],
    ['dir=up', 'dir must be one of asc, desc'],
    ['order_by=id', 'order_by must be "time"'],
    ['status=lost', 'status must be one of success, failed, pending, skipped, unmatched'],
    ['time[gte]=today', 'time[gte] must be a time of RFC 3339, or a day such as 2026-11-21'],
    ['time[lt]=2026-02-30', 'time[lt] must be a time of RFC 3339, or a day such as 2026-11-21'],
    ['next=abc', 'next is not a cursor of this list in this direction'],
    ['next=abc&prev=abc', 'next must not be given together with prev'],
    ['colour=red', 'colour is not a known parameter'],
  ])('are refused to %s', async (query, sentence) => {
    const { body } = await api.get(`/events?${query}`).expect(422)

    expect(body).toMatchObject({ code: 'validation_error', data: [sentence] })
  })

  it("do not take another list's cursor", async () => {
    const [tenant, other] = [await makeTenant(api), await makeTenant(api)]
    await publish(tenant)
    await publish(tenant)
    const { pagination } = await list(`/tenants/${tenant}/events?limit=1`)

    const statusOf = async (path: string): Promise<number> =>
      (await api.get(`${path}next=${pagination.next}`)).status

    expect(await statusOf(`/tenants/${tenant}/events?`)).toBe(200)
    expect(await statusOf(`/tenants/${tenant}/events?dir=asc&`)).toBe(422)
    expect(await statusOf(`/tenants/${other}/events?`)).toBe(422)
    expect(await statusOf('/attempts?')).toBe(422)
  })

  it('of a deleted tenant leave every list at once, and its successor starts with none', async () => {
    const tenant = await makeTenant(api)
    const id = await publish(tenant)
    await api.delete(`/tenants/${tenant}`).expect(200)

    expect(idsOf(await list(`/events?id=${id}`))).toEqual([])
    await api.get(`/events/${id}`).expect(404)
    const gone = await api.get(`/tenants/${tenant}/events`).expect(404)
    expect(gone.body).toMatchObject({ code: 'tenant_not_found' })

    await api.put(`/tenants/${tenant}`).expect(201)
    expect(idsOf(await list(`/tenants/${tenant}/events`))).toEqual([])
    const none = await api.get(`/tenants/${tenant}/events/${id}`).expect(404)
    expect(none.body).toMatchObject({ code: 'event_not_found' })
  })

  it('of one id in several tenants need the tenant to be named', async () => {
    const tenants = [tenantRow({ id: 'twin-1' }), tenantRow({ id: 'twin-2' })]
    const events = tenants.map(({ uid }) => eventRow({ tenantUid: uid, id: 'twins' }))
    await insertRows(api.store.pools.query, { tenants, events })

    const { body } = await api.get('/events/twins').expect(422)
    const named = await api.get('/events/twins?tenant_id=twin-2').expect(200)

    expect(body).toMatchObject({
      data: ['tenant_id is required: several tenants have an event with this id'],
    })
    expect(named.body).toMatchObject({ id: 'twins', tenant_id: 'twin-2' })
  })
})

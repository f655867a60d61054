import { attemptIdOf } from '@postrider/common'
import {
  type AttemptRow,
  attemptRow,
  createTestDatabase,
  type EventRow,
  eventRow,
  insertRows,
  type TestDatabase,
} from '@postrider/testkit'
import { makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

interface Scene {
  readonly tenant: string
  readonly event: EventRow
  readonly failed: AttemptRow
  readonly succeeded: AttemptRow
}

const DATA = '{"n":12345678901234567890}'
const RESPONSE = {
  head: { status: 500, headers: { 'content-type': 'text/plain' } },
  body: Buffer.concat([Buffer.from('broken \u0000'), Buffer.from([0xff])]),
  isCut: true,
}

describe('attempts', () => {
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

  /** An event that failed at its first attempt and arrived with its second. */
  async function scene(): Promise<Scene> {
    const tenant = await makeTenant(api)
    await api.post(`/tenants/${tenant}/destinations`, webhook({ id: 'd' })).expect(201)
    const { rows } = await api.store.pools.query.query<{ uid: string; tenant_uid: string }>(
      'select d.uid, d.tenant_uid from destinations d join tenants t on t.uid = d.tenant_uid where t.id = $1',
      [tenant],
    )
    const { uid: destinationUid = '', tenant_uid: tenantUid = '' } = rows[0] ?? {}
    const event = eventRow({ tenantUid, topic: 'order.paid', data: DATA })
    const key = { event, destinationUid }
    const next = new Date(event.time.getTime() + 5000)
    const failed = attemptRow({
      ...key,
      status: 'failed',
      response: RESPONSE,
      nextAttemptAt: next,
      time: event.time,
    })
    const succeeded = attemptRow({ ...key, number: 2, time: next, isManual: true })
    await insertRows(api.store.pools.query, { events: [event], attempts: [failed, succeeded] })
    return { tenant, event, failed, succeeded }
  }

  async function ids(query: string): Promise<string[]> {
    const { body } = await api.get(`/attempts?${query}`).expect(200)
    return (body as { models: readonly { id: string }[] }).models.map(({ id }) => id)
  }

  it('say when they were made, what came of them and when the next was due', async () => {
    const { tenant, event, failed } = await scene()
    const id = attemptIdOf(failed.uid)

    const { body } = await api.get(`/attempts/${id}`).expect(200)

    expect(body).toEqual({
      id,
      tenant_id: tenant,
      event_id: event.id,
      destination_id: 'd',
      destination_type: 'webhook',
      attempt_number: 1,
      status: 'failed',
      time: failed.time.toISOString(),
      duration_ms: 12,
      code: '500',
      manual: false,
      next_attempt_at: failed.nextAttemptAt?.toISOString(),
    })
  })

  it('are listed by tenant, event, destination, topic, status and id', async () => {
    const { tenant, event, failed, succeeded } = await scene()
    await scene()
    const [first, second] = [attemptIdOf(failed.uid), attemptIdOf(succeeded.uid)]
    const own = `tenant_id=${tenant}`

    expect(await ids(own)).toEqual([second, first])
    expect(await ids(`${own}&dir=asc`)).toEqual([first, second])
    expect(await ids(`event_id=${event.id}`)).toEqual([second, first])
    expect(await ids(`${own}&destination_id=d&topic=order.paid&status=failed`)).toEqual([first])
    expect(await ids(`${own}&topic=other`)).toEqual([])
    expect(await ids(`id=${first}&id=att_nonsense`)).toEqual([first])
    expect(await ids('id=att_nonsense')).toEqual([])
    expect(await ids(`${own}&time[gt]=${failed.time.toISOString()}`)).toEqual([second])
  })

  it('include what they are asked to, and nothing else', async () => {
    const { tenant, event, failed, succeeded } = await scene()
    const id = attemptIdOf(failed.uid)

    const response = await api.get(`/attempts/${id}?include=response_data`).expect(200)
    const bare = await api.get(`/attempts/${id}?include=event`).expect(200)
    const full = await api.get(`/attempts/${id}?include=event.data,destination`).expect(200)
    const none = await api
      .get(`/attempts/${attemptIdOf(succeeded.uid)}?include=response_data&include=event`)
      .expect(200)

    expect(response.body).toMatchObject({
      response_data: {
        status: 500,
        headers: { 'content-type': 'text/plain' },
        body: 'broken \u0000\uFFFD',
        truncated: true,
      },
    })
    expect(response.body).not.toHaveProperty('event')
    expect(bare.body).toMatchObject({ event: { id: event.id, topic: 'order.paid' } })
    expect(bare.body).not.toHaveProperty('event.data')
    expect(full.text).toContain(`"data":${DATA}`)
    expect(full.body).toMatchObject({
      destination: { id: 'd', tenant_id: tenant, type: 'webhook', disabled_at: null },
    })
    expect(none.body).toMatchObject({ response_data: null, event: { id: event.id } })
  })

  it('stay when their destination is deleted, which then is null', async () => {
    const { tenant, failed } = await scene()
    await api.delete(`/tenants/${tenant}/destinations/d`).expect(200)

    const path = `/attempts/${attemptIdOf(failed.uid)}?include=destination`
    const { body } = await api.get(path).expect(200)

    expect(body).toMatchObject({ destination_id: 'd', destination: null })
  })

  it('refuse to include what they do not have', async () => {
    const { body } = await api.get('/attempts?include=event,colour').expect(422)

    expect(body).toMatchObject({
      data: [
        'include[0] must be one of response_data, event, event.data, destination, or several of them separated by commas',
      ],
    })
  })

  it.each(['att_nonsense', attemptIdOf('019aa5c0-0000-7000-8000-000000000001')])(
    'are not found when there are none: %s',
    async (id) => {
      const { body } = await api.get(`/attempts/${id}`).expect(404)

      expect(body).toMatchObject({ code: 'attempt_not_found' })
    },
  )
})

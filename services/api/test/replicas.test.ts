import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import { makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

describe('two processes of the api on one database', () => {
  let database: TestDatabase
  let one: TestApi
  let other: TestApi
  let tenant: string
  let path: string

  // They share nothing but Postgres: not even what one announces reaches the other.
  beforeAll(async () => {
    database = await createTestDatabase()
    one = openApi({ postgresUrl: database.url, env: { MAX_DESTINATIONS_PER_TENANT: '5' } })
    other = openApi({ postgresUrl: database.url, env: { MAX_DESTINATIONS_PER_TENANT: '5' } })
  })

  beforeEach(async () => {
    tenant = await makeTenant(one)
    path = `/tenants/${tenant}/destinations`
  })

  afterAll(async () => {
    await one[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  /** Publishes through a process; answers with the destinations that get it. */
  const publish = async (through: TestApi): Promise<string[]> => {
    const event = { tenant_id: tenant, topic: 'user.created', data: {} }
    const { body } = await through.post('/publish', event).expect(202)
    return (body as { destination_ids: string[] }).destination_ids
  }

  it('match what the other has changed a moment ago', async () => {
    expect(await publish(other)).toEqual([])

    await one.post(path, webhook({ id: 'hook' })).expect(201)
    expect(await publish(other)).toEqual(['hook'])

    await one.patch(`${path}/hook`, { topics: ['user.deleted'] }).expect(200)
    expect(await publish(other)).toEqual([])

    await one.patch(`${path}/hook`, { topics: ['user.created'] }).expect(200)
    expect(await publish(other)).toEqual(['hook'])

    await one.delete(`${path}/hook`).expect(200)
    expect(await publish(other)).toEqual([])
  })

  it('skip what the other has disabled a moment ago', async () => {
    await one.post(path, webhook({ id: 'hook' })).expect(201)
    expect(await publish(other)).toEqual(['hook'])
    await one.put(`${path}/hook/disable`).expect(200)
    await publish(other)

    const { body } = await one.get(`/tenants/${tenant}/events`).expect(200)

    const statuses = (body as { models: { status: string }[] }).models.map(({ status }) => status)
    expect(statuses).toEqual(['skipped', 'pending'])
  })

  it('lose no key of fifty patches that they make at once', async () => {
    await one.post(path, webhook({ id: 'hook' })).expect(201)
    const keys = Array.from({ length: 50 }, (_, i) => `k${i}`)

    await Promise.all(
      keys.map((key, i) =>
        (i % 2 === 0 ? one : other)
          .patch(`${path}/hook`, { metadata: { [key]: key }, delivery_metadata: { [key]: key } })
          .expect(200),
      ),
    )

    const expected = Object.fromEntries(keys.map((key) => [key, key]))
    const { body } = await other.get(`${path}/hook`).expect(200)
    expect(body).toMatchObject({ metadata: expected, delivery_metadata: expected })
  })

  it('keep the limit together', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : other).post(path, webhook())),
    )

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(15)
  })

  it('know the tokens that the other has issued', async () => {
    const token = await one.tokenOf(tenant)
    await other.as(token).get(`/tenants/${tenant}`).expect(200)
    await one.delete(`/tenants/${tenant}`).expect(200)
    const { body } = await other.as(token).get(`/tenants/${tenant}`).expect(401)
    expect(body.code).toBe('unauthorized')
  })
})

import {
  createTestDatabase,
  type Receiver,
  startReceiver,
  type TestDatabase,
} from '@postrider/testkit'
import { makeTenant, openApi, type TestApi } from './open-api.ts'

const token = (text: string): string => Buffer.from(text).toString('base64')

/** A destination of the one type that has no config from its callers. */
function relay(given: object = {}): object {
  return { type: 'relay', topics: '*', credentials: { token: token('src_1:key') }, ...given }
}

describe('destinations of a type without config', () => {
  let database: TestDatabase
  let api: TestApi
  let path: string

  beforeAll(async () => {
    database = await createTestDatabase()
    api = openApi({ postgresUrl: database.url })
  })

  beforeEach(async () => {
    path = `/tenants/${await makeTenant(api)}/destinations`
  })

  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  it.each([
    [undefined],
    [null],
    ['text'],
    [7],
    [[1, { a: 1 }]],
    [{}],
    [{ url: { deep: [] }, source_id: 'forged' }],
  ])('take %j for config, and ignore it', async (config) => {
    const { body } = await api.post(path, relay({ config })).expect(201)

    expect(body).toMatchObject({
      config: { source_id: 'src_1' },
      credentials: { token: 'c3Jj********' },
      target: 'source src_1',
    })
    const patched = await api.patch(`${path}/${body.id}`, { config }).expect(200)
    expect(patched.body).toEqual(body)
  })

  it('follow their token to another source', async () => {
    const { body } = await api.post(path, relay()).expect(201)
    const credentials = { token: token('src_2:key') }
    const patched = await api.patch(`${path}/${body.id}`, { credentials, config: 'x' }).expect(200)

    expect(patched.body).toMatchObject({ config: { source_id: 'src_2' }, target: 'source src_2' })
  })

  it('still need a good token', async () => {
    const { body } = await api.post(path, relay({ credentials: { token: 'x' } })).expect(422)

    expect(body.data).toEqual(['credentials.token must be base64 of <source id>:<key>'])
  })

  it('leave other types to have theirs in the right form', async () => {
    const given = { type: 'webhook', topics: '*', config: 'text' }
    const { body } = await api.post(path, given).expect(422)
    expect(body.data).toEqual(['config must be an object'])

    const config = { url: 'http://127.0.0.1:9/' }
    const made = await api.post(path, { ...given, config }).expect(201)
    const refused = await api.patch(`${path}/${made.body.id}`, { config: ['x'] }).expect(422)
    expect(refused.body.data).toEqual(['config must be an object or null'])
  })
})

describe('a relay whose gateway is asked about its token', () => {
  it('keeps the name of the source for people to read', async () => {
    await withGateway(async (path, api, gateway) => {
      gateway.answer({ status: 200, body: '{"name":"orders of acme"}' })
      const { body } = await api.post(path, relay()).expect(201)

      expect(body).toMatchObject({
        config: { source_id: 'src_1', source_name: 'orders of acme' },
        target: 'orders of acme',
      })
      expect(gateway.requests[0]).toMatchObject({
        method: 'GET',
        path: '/sources/src_1/verify',
        headers: { 'x-hookdeck-source-token': token('src_1:key') },
      })
      const patched = await api.patch(`${path}/${body.id}`, { topics: ['a'] }).expect(200)
      expect(patched.body.target).toBe('orders of acme')
    })
  })

  it('is refused, made or changed, when the gateway does not know the token', async () => {
    await withGateway(async (path, api, gateway) => {
      gateway.answer({ status: 200, body: '{}' })
      const made = await api.post(path, relay()).expect(201)
      gateway.answer({ status: 401, body: 'no' })
      const refused = ['credentials.token is not known to the gateway']

      expect((await api.post(path, relay()).expect(422)).body.data).toEqual(refused)
      gateway.answer({ status: 404, body: 'no' })
      const credentials = { token: token('src_2:key') }
      const change = await api.patch(`${path}/${made.body.id}`, { credentials }).expect(422)
      expect(change.body.data).toEqual(refused)
    })
  })

  it('is made all the same when the gateway is in trouble', async () => {
    await withGateway(async (path, api, gateway) => {
      const make = async (): Promise<number> => (await api.post(path, relay())).status
      gateway.answer({ status: 503, body: '' })
      const inTrouble = await make()
      gateway.answer({ fault: 'hang' })
      const silent = await make()
      await gateway.stop()

      expect([inTrouble, silent, await make()]).toEqual([201, 201, 201])
    })
  })
})

/** An api that asks a gateway, which is on loopback, about tokens. */
async function withGateway(
  act: (path: string, api: TestApi, gateway: Receiver) => Promise<void>,
): Promise<void> {
  await using database = await createTestDatabase()
  const gateway = await startReceiver()
  const env = {
    DESTINATIONS_RELAY_VERIFY_URL: `${gateway.url}/sources/{id}/verify`,
    DESTINATIONS_ALLOWED_NETWORKS: '127.0.0.0/8',
  }
  await using api = openApi({ postgresUrl: database.url, env })
  try {
    await act(`/tenants/${await makeTenant(api)}/destinations`, api, gateway)
  } finally {
    await gateway.stop()
  }
}

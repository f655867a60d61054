import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import { makeTenant, openApi, type TestApi } from './open-api.ts'

interface Document {
  readonly type: string
  readonly config_fields: readonly { readonly key: string }[]
}

describe('what a tenant can choose from', () => {
  let database: TestDatabase
  let api: TestApi
  let tenant: string

  beforeAll(async () => {
    database = await createTestDatabase()
    api = openApi({ postgresUrl: database.url, env: { TOPICS: 'user.created,order.paid' } })
    tenant = await makeTenant(api)
  })

  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  it('are the configured topics', async () => {
    await api.get('/topics').expect(200, ['user.created', 'order.paid'])
    await api.get(`/tenants/${tenant}/topics`).expect(200, ['user.created', 'order.paid'])
    const own = api.as(await api.tokenOf(tenant))
    const { body } = await own.get('/topics').expect(200)
    expect(body).toEqual(['user.created', 'order.paid'])
  })

  it('are no topics when none are configured', async () => {
    await using free = openApi({ postgresUrl: database.url })
    const { body } = await free.get('/topics').expect(200)
    expect(body).toEqual([])
  })

  it('are the destination types, each with its fields', async () => {
    const { body } = await api.get('/destination-types').expect(200)
    const types = body as Document[]
    const webhook = types.find(({ type }) => type === 'webhook')

    expect(webhook?.config_fields.map(({ key }) => key)).toEqual(['url', 'custom_headers'])
    await api.get(`/tenants/${tenant}/destination-types`).expect(200, types)
    for (const document of types) {
      await api.get(`/destination-types/${document.type}`).expect(200, document)
      await api.get(`/tenants/${tenant}/destination-types/${document.type}`).expect(200, document)
    }
  })

  it.each(['/destination-types/pigeon', '/destination-types/constructor'])(
    'is no type that there is not: %s',
    async (path) => {
      const { body } = await api.get(path).expect(404)
      const same = await api.get(`/tenants/${tenant}${path}`).expect(404)
      expect([body.code, same.body.code]).toEqual([
        'destination_type_not_found',
        'destination_type_not_found',
      ])
    },
  )

  it.each(['/topics', '/destination-types', '/destination-types/webhook'])(
    'is nothing for a tenant that is not there: %s',
    async (path) => {
      const { body } = await api.get(`/tenants/nobody${path}`).expect(404)
      expect(body.code).toBe('tenant_not_found')
    },
  )
})

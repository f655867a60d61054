import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
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

import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import { makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

const GENERATED = /^whsec_[A-Za-z0-9+/]{43}=$/
const FAULT = 'must be whsec_ and the base64 of 24 to 64 bytes'

describe('the secret of a webhook in standard mode', () => {
  let database: TestDatabase
  let before: TestApi
  let api: TestApi
  let path: string

  beforeAll(async () => {
    database = await createTestDatabase()
    // The same service before its operator chose that mode.
    before = openApi({ postgresUrl: database.url })
    api = openApi({ postgresUrl: database.url, env: { DESTINATIONS_WEBHOOK_MODE: 'standard' } })
  })

  beforeEach(async () => {
    path = `/tenants/${await makeTenant(api)}/destinations`
  })

  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await before[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  it('is generated in the form of Standard Webhooks', async () => {
    const { body } = await api.post(path, webhook()).expect(201)
    expect(body.credentials.secret).toMatch(GENERATED)
  })

  it('must have that form when an admin gives it', async () => {
    const refused = await api
      .post(path, webhook({ credentials: { secret: 'mine', previous_secret: 'whsec_bWluZQ==' } }))
      .expect(422)
    expect(refused.body.data).toEqual([
      `credentials.secret ${FAULT}`,
      `credentials.previous_secret ${FAULT}`,
    ])
    const secret = `whsec_${Buffer.alloc(24, 'k').toString('base64')}`
    const { body } = await api.post(path, webhook({ credentials: { secret } })).expect(201)
    expect(body.credentials).toEqual({ secret })
  })

  it('may stay as it was before that mode, until it is rotated', async () => {
    const given = webhook({ id: 'hook', credentials: { secret: 'first-delivery' } })
    await before.post(path, given).expect(201)
    const patched = await api.patch(`${path}/hook`, { metadata: { a: '1' } }).expect(200)
    await api.patch(`${path}/hook`, patched.body).expect(200, patched.body)
    expect(patched.body.credentials).toEqual({ secret: 'first-delivery' })

    const rotation = { credentials: { rotate_secret: 'true' } }
    const { body } = await api.patch(`${path}/hook`, rotation).expect(200)
    expect(body.credentials).toMatchObject({
      secret: expect.stringMatching(GENERATED),
      previous_secret: 'first-delivery',
    })
  })

  it('has its form told by the type', async () => {
    const { body } = await api.get('/destination-types/webhook').expect(200)
    expect(body.credential_fields[0].description).toContain(FAULT)
  })
})

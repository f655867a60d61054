import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import { forgeToken } from './forged-tokens.ts'
import { JWT_SECRET, makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

describe('the token of a tenant', () => {
  let database: TestDatabase
  let api: TestApi
  let tenant: string

  beforeAll(async () => {
    database = await createTestDatabase()
    api = openApi({ postgresUrl: database.url })
  })

  beforeEach(async () => {
    tenant = await makeTenant(api)
  })

  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  const statusFor = async (token: string): Promise<number> =>
    (await api.as(token).get(`/tenants/${tenant}`)).status

  it('names the tenant and is good for a day', async () => {
    const { body } = await api.get(`/tenants/${tenant}/token`).expect(200)
    expect(Object.keys(body)).toEqual(['token', 'tenant_id'])
    expect(body.tenant_id).toBe(tenant)
    const claims = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString())
    expect(claims).toEqual({
      iss: 'postrider',
      sub: tenant,
      iat: expect.any(Number),
      exp: expect.any(Number),
    })
    expect(claims.exp - claims.iat).toBeCloseTo(24 * 3600)
    expect(Math.abs(claims.iat - Date.now() / 1000)).toBeLessThan(5)
  })

  it('is good at once, also when the tenant was made in the same second', async () => {
    expect(await statusFor(await api.tokenOf(tenant))).toBe(200)
  })

  it('is not given to the tenant itself, nor for one that is not there', async () => {
    const token = await api.tokenOf(tenant)
    await api.as(token).get(`/tenants/${tenant}/token`).expect(403)
    const { body } = await api.get('/tenants/nobody/token').expect(404)
    expect(body.code).toBe('tenant_not_found')
  })

  it('ends with its tenant, and is not that of one made again within the second', async () => {
    const token = await api.tokenOf(tenant)
    await api.delete(`/tenants/${tenant}`).expect(200)
    expect(await statusFor(token)).toBe(401)
    await api.put(`/tenants/${tenant}`).expect(201)
    expect(await statusFor(token)).toBe(401)
    expect(await statusFor(await api.tokenOf(tenant))).toBe(200)
  })

  it('outlives every other change of its tenant', async () => {
    const token = await api.tokenOf(tenant)
    await api.put(`/tenants/${tenant}`, { metadata: { plan: 'gold' } }).expect(200)
    expect(await statusFor(token)).toBe(200)
  })

  it('may be signed by the platform itself', async () => {
    expect(await statusFor(forgeToken(tenant, { secret: JWT_SECRET }))).toBe(200)
  })

  it.each([
    ['no issuer', { claims: { iss: undefined } }],
    ['no tenant', { claims: { sub: undefined } }],
    ['a tenant that is not there', { claims: { sub: 'nobody' } }],
    ['no time of issue', { claims: { iat: undefined } }],
    ['a time of issue before its tenant was made', { claims: { iat: Date.now() / 1000 - 3600 } }],
    ['a time of issue to come', { claims: { iat: Date.now() / 1000 + 3600 } }],
    ['no end', { claims: { exp: undefined } }],
    ['an end that is past', { claims: { exp: Math.floor(Date.now() / 1000) } }],
    ['an end that is far', { claims: { exp: Date.now() / 1000 + 25 * 3600 } }],
    ['no algorithm', { header: { alg: 'none' } }],
    ['another algorithm', { header: { alg: 'HS512' } }],
    ['the signature of another secret', { secret: 'another secret of at least 32 characters' }],
  ])('is refused with %s', async (_, forged) => {
    const token = forgeToken(tenant, { secret: JWT_SECRET, ...forged })
    const { body } = await api.as(token).get(`/tenants/${tenant}`).expect(401)
    expect(body.code).toBe('unauthorized')
  })

  it('without a signature is refused', async () => {
    const token = forgeToken(tenant, { header: { alg: 'none' }, secret: JWT_SECRET })
    expect(await statusFor(token.slice(0, token.lastIndexOf('.') + 1))).toBe(401)
  })

  it('shows the tenant itself alone, wherever there are several', async () => {
    const other = await makeTenant(api)
    const own = api.as(await api.tokenOf(tenant))
    for (const id of [tenant, other]) {
      await api.post('/publish', { tenant_id: id, id: `of-${id}`, data: {} }).expect(202)
    }
    const tenants = await own.get('/tenants').expect(200)
    expect(tenants.body).toMatchObject({ models: [{ id: tenant }], count: 1 })
    const events = await own.get('/events').expect(200)
    expect(events.body.models).toMatchObject([{ id: `of-${tenant}`, tenant_id: tenant }])
    await own.get(`/events/of-${tenant}`).expect(200)
    await own.get(`/events/of-${other}`).expect(404)
  })

  it.each([
    '/events?tenant_id=other',
    '/events?tenant_id=other&colour=red',
    '/events/any?tenant_id=other',
    '/attempts?tenant_id[]=other',
  ])('does not open %s', async (path) => {
    const own = api.as(await api.tokenOf(tenant))
    const { body } = await own.get(path).expect(403)
    expect(body).toEqual({
      status: 403,
      code: 'forbidden',
      message: 'the token is for another tenant',
    })
  })

  it('does not open a list of its own and of others', async () => {
    const own = api.as(await api.tokenOf(tenant))
    await own.get(`/events?tenant_id=${tenant}`).expect(200)
    const { body } = await own.get(`/events?tenant_id=${tenant}&tenant_id=other`).expect(403)
    expect(body.code).toBe('forbidden')
  })

  it('makes, changes and deletes its own destinations', async () => {
    const own = api.as(await api.tokenOf(tenant))
    const path = `/tenants/${tenant}/destinations`
    await own.post(path, webhook({ id: 'hook' })).expect(201)
    await own.patch(`${path}/hook`, { metadata: { a: '1' } }).expect(200)
    await own.put(`${path}/hook/disable`).expect(200)
    const { body } = await own.delete(`${path}/hook`).expect(200)
    expect(body).toEqual({ success: true })
  })

  it('retries its own deliveries only', async () => {
    const own = api.as(await api.tokenOf(tenant))
    const asked = { event_id: 'e', destination_id: 'd' }
    await own.post('/retry', { ...asked, tenant_id: 'other' }).expect(403)
    const { body } = await own.post('/retry', { ...asked, tenant_id: tenant }).expect(404)
    expect(body.code).toBe('event_not_found')
  })
})

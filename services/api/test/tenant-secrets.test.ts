import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import { type Client, makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

const HOUR_MS = 3_600_000
const GENERATED = /^whsec_[A-Za-z0-9+/]{43}=$/

interface Credentials {
  readonly secret: string
  readonly previous_secret?: string
  readonly previous_secret_invalid_at?: string
}

describe('a tenant and the secrets of its webhooks', () => {
  let database: TestDatabase
  let api: TestApi
  let own: Client
  let path: string

  beforeAll(async () => {
    database = await createTestDatabase()
    api = openApi({ postgresUrl: database.url })
  })

  beforeEach(async () => {
    const tenant = await makeTenant(api)
    own = api.as(await api.tokenOf(tenant))
    path = `/tenants/${tenant}/destinations`
    await own.post(path, webhook({ id: 'hook' })).expect(201)
  })

  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  const shown = async (): Promise<Credentials> => {
    const { body } = await own.get(`${path}/hook`).expect(200)
    return (body as { credentials: Credentials }).credentials
  }

  const patched = async (credentials: object): Promise<Credentials> => {
    const { body } = await own.patch(`${path}/hook`, { credentials }).expect(200)
    return (body as { credentials: Credentials }).credentials
  }

  it('reads the secret that was made for it, to verify with', async () => {
    expect(await shown()).toEqual({ secret: expect.stringMatching(GENERATED) })
  })

  it('rotates it, and keeps what was for 24 hours', async () => {
    const before = await shown()

    const after = await patched({ rotate_secret: 'true' })

    expect(after.secret).toMatch(GENERATED)
    expect(after.secret).not.toBe(before.secret)
    expect(after.previous_secret).toBe(before.secret)
    const leftMs = Date.parse(after.previous_secret_invalid_at ?? '') - Date.now()
    expect(leftMs / HOUR_MS).toBeCloseTo(24, 1)
  })

  it.each([
    ['now', 0, false],
    ['in the past', -HOUR_MS, false],
    ['in an hour', HOUR_MS, true],
    ['in a year', 365 * 24 * HOUR_MS, true],
  ])('rotates it so that what was ends %s', async (_, inMs, isKept) => {
    const until = new Date(Date.now() + inMs).toISOString()

    const after = await patched({ rotate_secret: 'true', previous_secret_invalid_at: until })

    expect(after.previous_secret_invalid_at).toBe(isKept ? until : undefined)
    expect('previous_secret' in after).toBe(isKept)
  })

  it('changes nothing by sending back what it was shown', async () => {
    const rotated = await patched({ rotate_secret: 'true' })

    expect(await patched(rotated)).toEqual(rotated)
    expect(await patched({ secret: rotated.secret })).toEqual(rotated)
    expect(await patched({ rotate_secret: 'false' })).toEqual(rotated)
  })

  it('rotates while sending back the secrets that it was shown', async () => {
    const { secret } = await shown()

    const after = await patched({ secret, rotate_secret: 'true' })

    expect(after.previous_secret).toBe(secret)
    expect(after.secret).not.toBe(secret)
  })

  it.each([
    ['another secret', { secret: 'mine' }, ['secret']],
    ['no secret', { secret: null }, ['secret']],
    ['another previous secret', { previous_secret: 'mine' }, ['previous_secret']],
    ['no previous secret', { previous_secret: null }, ['previous_secret']],
    [
      'another end of the previous secret',
      { previous_secret_invalid_at: '2030-01-01T00:00:00Z' },
      ['previous_secret_invalid_at'],
    ],
    [
      'a rotation to a secret of its own',
      { rotate_secret: 'true', secret: 'mine', previous_secret: 'mine' },
      ['secret', 'previous_secret'],
    ],
  ])('may not set %s', async (_, credentials, forbidden) => {
    const before = await patched({ rotate_secret: 'true' })

    const { body } = await own.patch(`${path}/hook`, { credentials }).expect(422)

    expect(body.data).toEqual(forbidden.map((key) => `credentials.${key} is forbidden`))
    expect(await shown()).toEqual(before)
  })

  it('may not clear them all', async () => {
    const before = await shown()
    const { body } = await own.patch(`${path}/hook`, { credentials: null }).expect(422)
    expect(body.data).toEqual(['credentials.secret is forbidden'])
    expect(await shown()).toEqual(before)
  })

  it.each([
    [{ secret: 'mine' }, 'credentials.secret is forbidden'],
    [{ previous_secret: 'mine' }, 'credentials.previous_secret is forbidden'],
    [{ rotate_secret: 'true' }, 'credentials.rotate_secret is only for updates'],
  ])('may not make a webhook with %j', async (credentials, fault) => {
    const { body } = await own.post(path, webhook({ credentials })).expect(422)
    expect(body.data).toEqual([fault])
  })

  it('reads what the admin set', async () => {
    await api.patch(`${path}/hook`, { credentials: { secret: 'set by the admin' } }).expect(200)
    expect(await shown()).toEqual({ secret: 'set by the admin' })
  })
})

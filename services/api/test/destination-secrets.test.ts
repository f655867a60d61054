import { createTestDatabase, type TestDatabase, waitFor } from '@postrider/testkit'
import { makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

const HOUR_MS = 3_600_000

describe('the secret of a webhook', () => {
  let database: TestDatabase
  let api: TestApi
  let path: string

  beforeAll(async () => {
    database = await createTestDatabase()
    api = openApi({ postgresUrl: database.url })
  })

  beforeEach(async () => {
    path = `/tenants/${await makeTenant(api)}/destinations/hook`
    const given = webhook({ id: 'hook', credentials: { secret: 'the first secret' } })
    await api.post(path.replace('/hook', ''), given).expect(201)
  })

  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  const rotate = async (more: object = {}): Promise<Record<string, string>> => {
    const { body } = await api
      .patch(path, { credentials: { rotate_secret: 'true', ...more } })
      .expect(200)
    return body.credentials
  }

  it('becomes the previous one for 24 hours when it is rotated', async () => {
    const credentials = await rotate()
    expect(credentials).toEqual({
      secret: expect.stringMatching(/^whsec_/),
      previous_secret: 'the first secret',
      previous_secret_invalid_at: expect.any(String),
    })
    const remaining = Date.parse(String(credentials['previous_secret_invalid_at'])) - Date.now()
    expect(remaining).toBeGreaterThan(23.9 * HOUR_MS)
    expect(remaining).toBeLessThanOrEqual(24 * HOUR_MS)
  })

  it('is rotated by true as well', async () => {
    const { body } = await api.patch(path, { credentials: { rotate_secret: true } }).expect(200)
    expect(body.credentials.previous_secret).toBe('the first secret')
  })

  it('is valid until the time that the rotation names', async () => {
    const until = new Date(Date.now() + HOUR_MS).toISOString()
    const credentials = await rotate({ previous_secret_invalid_at: until })
    expect(credentials['previous_secret_invalid_at']).toBe(until)
  })

  it('is revoked at once by a rotation with a time that is past', async () => {
    const credentials = await rotate({ previous_secret_invalid_at: '2026-01-01T00:00:00Z' })
    expect(credentials).toEqual({ secret: expect.stringMatching(/^whsec_/) })
  })

  it('is no longer shown when its time is over, and that changes nothing else', async () => {
    const until = new Date(Date.now() + 150).toISOString()
    await rotate({ previous_secret_invalid_at: until })
    const before = await api.get(path).expect(200)
    const after = await waitFor(
      async () => {
        const { body } = await api.get(path).expect(200)
        return 'previous_secret' in body.credentials ? null : body
      },
      { what: 'the end of the previous secret' },
    )
    expect(after).toEqual({
      ...before.body,
      credentials: { secret: before.body.credentials.secret },
    })
    await api.patch(path, after).expect(200, after)
  })

  it('keeps older ones when it is rotated again, and shows the newest previous one', async () => {
    const second = await rotate()
    const third = await rotate()
    expect(third['previous_secret']).toBe(second['secret'])
    const shown = await api.get(path).expect(200)
    expect(Object.keys(shown.body.credentials).toSorted()).toEqual([
      'previous_secret',
      'previous_secret_invalid_at',
      'secret',
    ])
    const { rows } = await api.store.pools.query.query<{ uid: string; credentials: Buffer }>(
      `select d.uid, d.credentials from destinations d join tenants t on t.uid = d.tenant_uid
       where t.id = $1`,
      [path.split('/')[2]],
    )
    const stored = rows.map((row) => api.store.cipher.decrypt(row.credentials, row.uid))
    expect(JSON.stringify(stored)).toContain('the first secret')
  })

  it('survives a patch of something else, and the destination sent back as it was shown', async () => {
    const rotated = await rotate()
    const { body } = await api.patch(path, { metadata: { a: '1' } }).expect(200)
    expect(body.credentials).toEqual(rotated)
    await api.patch(path, body).expect(200, body)
  })

  it('may be set by the admin', async () => {
    const { body } = await api.patch(path, { credentials: { secret: 'another one' } }).expect(200)
    expect(body.credentials).toEqual({ secret: 'another one' })
  })

  it.each([
    ['an unknown credential', { key: 'x' }, 'credentials.key is unknown'],
    ['internal ones', { older_secrets: '[]' }, 'credentials.older_secrets is unknown'],
    [
      'a rotation by anything but true',
      { rotate_secret: 'yes' },
      'credentials.rotate_secret must be true or false',
    ],
    [
      'a time that is none',
      { rotate_secret: 'true', previous_secret_invalid_at: 'soon' },
      'credentials.previous_secret_invalid_at must be a time of RFC 3339',
    ],
  ])('refuses %s', async (_, credentials, fault) => {
    const { body } = await api.patch(path, { credentials }).expect(422)
    expect(body.data).toEqual([fault])
  })
})

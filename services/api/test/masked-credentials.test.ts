import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import { makeTenant, openApi, type TestApi } from './open-api.ts'

const KEY = 'AKIAIOSFODNN7EXAMPLE'
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const MASKED = { key: 'AKIA********', secret: 'wJal********' }

describe('credentials that answers do not show', () => {
  let database: TestDatabase
  let api: TestApi
  let path: string
  let made: object

  beforeAll(async () => {
    database = await createTestDatabase()
    api = openApi({ postgresUrl: database.url })
  })

  beforeEach(async () => {
    path = `/tenants/${await makeTenant(api)}/destinations`
    const { body } = await api
      .post(path, {
        id: 'queue',
        type: 'cloud_a_queue',
        topics: '*',
        config: { queue_url: 'https://sqs.eu-central-1.amazonaws.com/123456789012/orders' },
        credentials: { key: KEY, secret: SECRET },
      })
      .expect(201)
    made = body as object
  })

  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  /** What is stored, decrypted. */
  async function stored(): Promise<object> {
    const { rows } = await api.store.pools.query.query<{ uid: string; credentials: Buffer }>(
      `select d.uid, d.credentials from destinations d join tenants t on t.uid = d.tenant_uid
       where t.id = $1`,
      [path.split('/')[2]],
    )
    const [row] = rows
    return row === undefined ? {} : { ...api.store.cipher.decrypt(row.credentials, row.uid) }
  }

  it('are masked wherever the destination is shown', async () => {
    expect(made).toMatchObject({ credentials: MASKED })
    const one = await api.get(`${path}/queue`).expect(200)
    const all = await api.get(path).expect(200)
    expect(one.body).toEqual(made)
    expect(all.body).toEqual([made])
  })

  it('stay as they are when their masks come back', async () => {
    await api.patch(`${path}/queue`, made).expect(200, made)
    await api.patch(`${path}/queue`, { credentials: MASKED }).expect(200, made)
    expect(await stored()).toEqual({ key: KEY, secret: SECRET })
  })

  it('change when a new one is given beside the mask of another', async () => {
    const credentials = { ...MASKED, secret: 'short' }
    const { body } = await api.patch(`${path}/queue`, { credentials }).expect(200)
    expect(body.credentials).toEqual({ key: MASKED.key, secret: '********' })
    expect(await stored()).toEqual({ key: KEY, secret: 'short' })
  })

  it.each([
    ['of another value', { key: 'ASIA********' }],
    ['of a short value', { key: '********' }],
    ['of another field', { key: MASKED.secret }],
  ])('are refused as a mask %s', async (_, credentials) => {
    const { body } = await api.patch(`${path}/queue`, { credentials }).expect(422)
    expect(body.data).toEqual(['credentials.key is masked: give the value itself'])
    expect(await stored()).toEqual({ key: KEY, secret: SECRET })
  })

  it('are refused as masks for a new destination', async () => {
    const { body } = await api.post(path, { ...given(made), id: 'copy' }).expect(422)
    expect(body.data).toEqual([
      'credentials.key is masked: give the value itself',
      'credentials.secret is masked: give the value itself',
    ])
  })

  it('may be set by the tenant itself', async () => {
    const own = api.as(await api.tokenOf(path.split('/')[2] ?? ''))
    const credentials = { key: 'ASIAIOSFODNN7EXAMPLE', secret: SECRET, session: 'a-session-token' }
    const { body } = await own.patch(`${path}/queue`, { credentials }).expect(200)
    expect(body.credentials).toEqual({
      key: 'ASIA********',
      secret: MASKED.secret,
      session: 'a-se********',
    })
    const without = await own.patch(`${path}/queue`, { credentials: { session: null } }).expect(200)
    expect(without.body.credentials).not.toHaveProperty('session')
  })
})

/** What a create takes of a destination as it is shown. */
function given(destination: object): object {
  const { type, topics, config, credentials } = destination as Readonly<Record<string, unknown>>
  return { type, topics, config, credentials }
}

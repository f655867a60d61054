import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import { makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const ids = ({ body }: { body: { id: string }[] }): string[] => body.map(({ id }) => id)

describe('destinations', () => {
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

  it('are made with what was given, and a secret', async () => {
    const given = webhook({
      id: 'orders',
      topics: ['order.created', 'order.paid', 'order.paid'],
      filter: { data: { amount: { $gte: 10 } } },
      delivery_metadata: { source: 'shop' },
      metadata: { team: 'billing' },
    })
    const made = await api.post(path, given).expect(201)
    expect(made.body).toEqual({
      id: 'orders',
      tenant_id: path.split('/')[2],
      type: 'webhook',
      topics: ['order.created', 'order.paid'],
      config: { url: 'http://127.0.0.1:9/hook' },
      credentials: { secret: expect.stringMatching(SECRET) },
      filter: { data: { amount: { $gte: 10 } } },
      delivery_metadata: { source: 'shop' },
      metadata: { team: 'billing' },
      target: 'http://127.0.0.1:9/hook',
      disabled_at: null,
      created_at: expect.stringMatching(TIME),
      updated_at: made.body.created_at,
    })
    await api.get(`${path}/orders`).expect(200, made.body)
    await api.get(path).expect(200, [made.body])
  })

  it('leave out what is empty, and have an id of their own', async () => {
    const { body } = await api.post(path, webhook({ filter: {}, metadata: {} })).expect(201)
    expect(body.id).toMatch(/^des_[0-9a-f]{32}$/)
    expect(body.topics).toEqual(['*'])
    expect(Object.keys(body).toSorted()).toEqual(
      [
        'config',
        'created_at',
        'credentials',
        'disabled_at',
        'id',
        'target',
        'tenant_id',
        'topics',
      ].concat('type', 'updated_at'),
    )
  })

  it('keep their credentials encrypted', async () => {
    const { body } = await api.post(path, webhook({ credentials: { secret: 'plain as day' } }))
    const { rows } = await api.store.pools.query.query<{ row: string }>(
      'select destinations::text as row from destinations where id = $1',
      [body.id],
    )
    expect(rows[0]?.row).not.toContain('plain as day')
    expect(rows[0]?.row).not.toContain(Buffer.from('plain as day').toString('hex'))
  })

  it('may start disabled', async () => {
    const past = await api
      .post(path, webhook({ disabled_at: '2026-01-01T01:00:00+01:00' }))
      .expect(201)
    expect(past.body.disabled_at).toBe('2026-01-01T00:00:00.000Z')
    const now = new Date(Date.now() + 1000).toISOString()
    const ahead = await api.post(path, webhook({ disabled_at: now })).expect(201)
    expect(Date.parse(ahead.body.disabled_at)).toBeLessThanOrEqual(Date.now())
  })

  it('turn numbers and booleans of config and credentials into text', async () => {
    const { body } = await api
      .post(path, webhook({ credentials: { secret: 12345678 } }))
      .expect(201)
    expect(body.credentials.secret).toBe('12345678')
  })

  it.each([
    ['no type', { type: undefined }, 'type is required'],
    [
      'an unknown type',
      { type: 'pigeon' },
      'type must be one of webhook, cloud_a_queue, broker_queue, relay, cloud_a_stream, cloud_b_bus, cloud_a_storage, cloud_c_topic',
    ],
    ['no topics', { topics: undefined }, 'topics is required'],
    [
      'topics that are no list',
      { topics: 'user.created' },
      'topics must be "*" or a list of topics',
    ],
    ['an empty list of topics', { topics: [] }, 'topics must not be empty'],
    [
      'a topic with a space',
      { topics: ['a b'] },
      'topics[0] must be 1 to 255 visible ASCII characters',
    ],
    ['a topic that is no text', { topics: ['a', 5] }, 'topics[1] must be a string'],
    [
      'a wildcard in a topic',
      { topics: ['user.*'] },
      'topics[0] must not contain * (TOPICS_ALLOW_WILDCARDS is not set)',
    ],
    ['no config', { config: undefined }, 'config.url is required'],
    [
      'an unknown field of config',
      { config: { url: 'http://127.0.0.1/', uri: 'x' } },
      'config.uri is unknown',
    ],
    [
      'a URL of another kind',
      { config: { url: 'ftp://127.0.0.1/' } },
      'config.url must be an http or https URL',
    ],
    [
      'an address that is not public',
      { config: { url: 'http://169.254.169.254/' } },
      'config.url points to an address that is not allowed',
    ],
    [
      'U+0000 in config',
      { config: { url: 'http://127.0.0.1/\u0000' } },
      'config.url must not contain U+0000 or half of a surrogate pair',
    ],
    [
      'a reserved header',
      { config: { url: 'http://127.0.0.1/', custom_headers: '{"Content-Type":"x"}' } },
      'config.custom_headers.Content-Type is reserved',
    ],
    [
      'headers that are no JSON',
      { config: { url: 'http://127.0.0.1/', custom_headers: 'x' } },
      'config.custom_headers must be a JSON object of strings',
    ],
    ['an unknown credential', { credentials: { key: 'x' } }, 'credentials.key is unknown'],
    [
      'a rotation',
      { credentials: { rotate_secret: 'true' } },
      'credentials.rotate_secret is only for updates',
    ],
    [
      'an unknown operator',
      { filter: { data: { a: { $like: 1 } } } },
      'filter.data.a.$like is not an operator',
    ],
    [
      'U+0000 in the filter',
      { filter: { data: { a: '\u0000' } } },
      'filter.data.a must not contain U+0000 or half of a surrogate pair',
    ],
    ['a filter that is no object', { filter: [] }, 'filter must be an object or null'],
    ['metadata that are no strings', { metadata: { a: 1 } }, 'metadata.a must be a string'],
    [
      'delivery metadata whose names differ by case',
      { delivery_metadata: { a: '1', A: '2' } },
      'delivery_metadata.A is given twice: names do not differ by case',
    ],
    ['a bad id', { id: 'a/b' }, 'id must be 1 to 128 of A-Z a-z 0-9 . _ -'],
    [
      'a future disabled_at',
      { disabled_at: '2999-01-01T00:00:00Z' },
      'disabled_at must not be in the future',
    ],
    [
      'a disabled_at that is no time',
      { disabled_at: 'now' },
      'disabled_at must be a time of RFC 3339',
    ],
    [
      'a read-only member',
      { created_at: '2026-01-01T00:00:00Z' },
      'created_at is not a known member',
    ],
  ])('refuse %s', async (_, given, fault) => {
    const { body } = await api.post(path, webhook(given)).expect(422)
    expect(body.data).toEqual([fault])
  })

  it('refuse a filter too deep for anybody without falling over', async () => {
    const depth = 100_000
    const filter = `{"data":${'{"$not":'.repeat(depth)}1${'}'.repeat(depth)}}`
    const { body } = await api
      .post(path)
      .set('content-type', 'application/json')
      .send(
        `{"type":"webhook","topics":"*","config":{"url":"http://127.0.0.1/"},"filter":${filter}}`,
      )
      .expect(422)
    expect(body.data).toEqual(['filter must have at most 16 levels'])
  })

  it('tell the faults of schema, topics, filter and type together', async () => {
    const given = { type: 'webhook', topics: ['a*'], config: {}, filter: { $or: [] }, extra: 1 }
    const { body } = await api.post(path, given).expect(422)
    expect(body.data).toEqual([
      'extra is not a known member',
      'topics[0] must not contain * (TOPICS_ALLOW_WILDCARDS is not set)',
      expect.stringMatching(/^filter\.\$or /),
      'config.url is required',
    ])
  })

  it('are 409 under an id that is taken, and in another tenant the same id is free', async () => {
    await api.post(path, webhook({ id: 'same' })).expect(201)
    const { body } = await api.post(path, webhook({ id: 'same' })).expect(409)
    expect(body).toEqual({
      status: 409,
      code: 'destination_exists',
      message: 'there is a destination same already',
    })
    const other = `/tenants/${await makeTenant(api)}/destinations`
    const twin = await api.post(other, webhook({ id: 'same' })).expect(201)
    await api.delete(`${path}/same`).expect(200)
    await api.get(`${other}/same`).expect(200, twin.body)
  })

  it.each(['get', 'delete'] as const)('answer %s with 404 when there is none', async (method) => {
    const { body } = await api[method](`${path}/none`).expect(404)
    expect(body.code).toBe('destination_not_found')
    const nobody = await api[method]('/tenants/nobody/destinations/none').expect(404)
    expect(nobody.body.code).toBe('tenant_not_found')
  })

  it.each(['enable', 'disable'])('answer %s with 404 when there is none', async (action) => {
    const { body } = await api.put(`${path}/none/${action}`).expect(404)
    expect(body.code).toBe('destination_not_found')
    const nobody = await api.put(`/tenants/nobody/destinations/none/${action}`).expect(404)
    expect(nobody.body.code).toBe('tenant_not_found')
  })

  it('answer a list with 404 when there is no tenant', async () => {
    const { body } = await api.get('/tenants/nobody/destinations').expect(404)
    expect(body.code).toBe('tenant_not_found')
  })

  it('are deleted for good, and one under the old id is another one', async () => {
    const first = await api.post(path, webhook({ id: 'again' })).expect(201)
    await api.delete(`${path}/again`).expect(200, { success: true })
    await api.get(`${path}/again`).expect(404)
    await api.delete(`${path}/again`).expect(404)
    const second = await api.post(path, webhook({ id: 'again' })).expect(201)
    expect(second.body.credentials.secret).not.toBe(first.body.credentials.secret)
    const { rows } = await api.store.pools.query.query<{ uid: string; deleted: boolean }>(
      `select uid, deleted_at is not null as deleted from destinations where id = 'again'
       order by created_at`,
    )
    expect(rows.map(({ deleted }) => deleted)).toEqual([true, false])
    expect(rows[0]?.uid).not.toBe(rows[1]?.uid)
  })

  it('are disabled once, and enabled once', async () => {
    const made = await api.post(path, webhook({ id: 'switch' })).expect(201)
    const off = await api.put(`${path}/switch/disable`).expect(200)
    expect(off.body.disabled_at).toMatch(TIME)
    expect(off.body.updated_at).toBe(off.body.disabled_at)
    await api.put(`${path}/switch/disable`).expect(200, off.body)
    const on = await api.put(`${path}/switch/enable`).expect(200)
    expect(on.body).toEqual({ ...made.body, updated_at: on.body.updated_at })
    await api.put(`${path}/switch/enable`).expect(200, on.body)
  })

  it('raise their version and that of the tenant with every change, and only then', async () => {
    const versions = async (): Promise<unknown> => {
      const { rows } = await api.store.pools.query.query(
        `select t.routing_version::int as routing, d.version::int as version
         from tenants t join destinations d on d.tenant_uid = t.uid
         where t.id = $1`,
        [path.split('/')[2]],
      )
      return rows[0]
    }
    await api.post(path, webhook({ id: 'v' })).expect(201)
    expect(await versions()).toEqual({ routing: 2, version: 1 })
    await api.put(`${path}/v/disable`).expect(200)
    await api.put(`${path}/v/disable`).expect(200)
    expect(await versions()).toEqual({ routing: 3, version: 2 })
    await api.patch(`${path}/v`, { topics: '*' }).expect(200)
    expect(await versions()).toEqual({ routing: 3, version: 2 })
    await api.patch(`${path}/v`, { topics: ['a'] }).expect(200)
    expect(await versions()).toEqual({ routing: 4, version: 3 })
    await api.delete(`${path}/v`).expect(200)
    expect(await versions()).toEqual({ routing: 5, version: 4 })
  })

  it('are announced to the other processes when they changed, and only then', async () => {
    let announced = 0
    const off = api.state.onAnnouncement(() => announced++)
    await api.post(path, webhook({ id: 'loud' })).expect(201)
    await api.patch(`${path}/loud`, { metadata: { a: '1' } }).expect(200)
    await api.patch(`${path}/loud`, { metadata: { a: '1' } }).expect(200)
    await api.put(`${path}/loud/disable`).expect(200)
    await api.delete(`${path}/loud`).expect(200)
    off()
    expect(announced).toBe(4)
  })

  describe('in a list', () => {
    beforeEach(async () => {
      await api.post(path, webhook({ id: 'all', topics: '*' })).expect(201)
      await api.post(path, webhook({ id: 'users', topics: ['user.created', 'user.deleted'] }))
      await api.post(path, webhook({ id: 'orders', topics: ['order.paid'] })).expect(201)
    })

    it('stand in the order of their creation', async () => {
      expect(ids(await api.get(path).expect(200))).toEqual(['all', 'users', 'orders'])
    })

    it.each([
      ['topics=user.created', ['all', 'users']],
      ['topics=user.created&topics=user.deleted', ['all', 'users']],
      ['topics[]=user.created&topics[]=order.paid', ['all']],
      ['topics[0]=order.paid', ['all', 'orders']],
      ['topics=*', ['all']],
      ['type=webhook', ['all', 'users', 'orders']],
      ['type=webhook&type=pigeon&topics=order.paid', ['all', 'orders']],
      ['type[]=pigeon', []],
    ])('are chosen by ?%s', async (query, expected) => {
      expect(ids(await api.get(`${path}?${query}`).expect(200))).toEqual(expected)
    })

    it('are not chosen by what does not exist', async () => {
      const { body } = await api.get(`${path}?topic=x&type[a]=webhook&limit=1`).expect(422)
      expect(body.data).toEqual([
        'topic is not a known parameter',
        'type[a] is not a known parameter',
        'limit is not a known parameter',
      ])
    })
  })
})

describe('topics of destinations', () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await createTestDatabase()
  })

  afterAll(async () => {
    await database[Symbol.asyncDispose]()
  })

  it('are those of TOPICS when it is set', async () => {
    await using api = openApi({
      postgresUrl: database.url,
      env: { TOPICS: 'user.created,order.paid' },
    })
    const path = `/tenants/${await makeTenant(api)}/destinations`
    await api.post(path, webhook({ topics: ['user.created'] })).expect(201)
    await api.post(path, webhook({ topics: ['*'] })).expect(201)
    const { body } = await api
      .post(path, webhook({ topics: ['order.paid', 'order.pait'] }))
      .expect(422)
    expect(body.data).toEqual([
      'topics[1] must be one of the configured topics: user.created, order.paid',
    ])
  })

  it('may have wildcards that match one of TOPICS when those are allowed', async () => {
    await using api = openApi({
      postgresUrl: database.url,
      env: { TOPICS: 'user.created,order.paid', TOPICS_ALLOW_WILDCARDS: 'true' },
    })
    const path = `/tenants/${await makeTenant(api)}/destinations`
    await api.post(path, webhook({ topics: ['user.*'] })).expect(201)
    const { body } = await api.post(path, webhook({ topics: ['invoice.*'] })).expect(422)
    expect(body.data).toHaveLength(1)
  })
})

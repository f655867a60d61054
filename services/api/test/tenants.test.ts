import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import { makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

describe('tenants', () => {
  let database: TestDatabase
  let api: TestApi

  beforeAll(async () => {
    database = await createTestDatabase()
    api = openApi({ postgresUrl: database.url })
  })

  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  it('are made by the first PUT and updated by the next', async () => {
    const made = await api.put('/tenants/acme', { metadata: { plan: 'gold' } }).expect(201)
    expect(made.body).toEqual({
      id: 'acme',
      destinations_count: 0,
      topics: [],
      metadata: { plan: 'gold' },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: made.body.created_at,
    })
    const updated = await api.put('/tenants/acme', { metadata: { plan: 'lead' } }).expect(200)
    expect(updated.body).toMatchObject({
      metadata: { plan: 'lead' },
      created_at: made.body.created_at,
    })
    await api.get('/tenants/acme').expect(200, updated.body)
  })

  it('keep their updated_at when a PUT changes nothing', async () => {
    const first = await api.put('/tenants/steady', { metadata: { a: '1', b: '2' } }).expect(201)
    const second = await api.put('/tenants/steady', { metadata: { b: '2', a: '1' } }).expect(200)
    expect(second.body).toEqual(first.body)
  })

  it('lose their metadata by a PUT without any, or without a body', async () => {
    await api.put('/tenants/bare', { metadata: { a: '1' } }).expect(201)
    const { body } = await api.put('/tenants/bare').expect(200)
    expect(body.metadata).toEqual({})
  })

  it('are made once by PUTs that run at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.put('/tenants/racy', { metadata: {} })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19)
  })

  it.each([
    ['no object', { metadata: [] }, 'metadata must be an object'],
    ['no string', { metadata: { a: 1 } }, 'metadata.a must be a string'],
    [
      'a control character',
      { metadata: { a: 'x\ny' } },
      'metadata.a must be at most 4 KiB without control characters',
    ],
    [
      'U+0000',
      { metadata: { a: '\u0000' } },
      'metadata.a must be at most 4 KiB without control characters',
    ],
    [
      'half of a surrogate pair',
      { metadata: { a: '\ud800' } },
      'metadata.a must be at most 4 KiB without control characters',
    ],
    [
      'more than 4 KiB',
      { metadata: { a: 'é'.repeat(2049) } },
      'metadata.a must be at most 4 KiB without control characters',
    ],
    [
      'a name with a space',
      { metadata: { 'a b': 'x' } },
      'metadata.a b must have a name of A-Z a-z 0-9 _ - that starts with a letter or digit',
    ],
    [
      'names that differ by case',
      { metadata: { a: '1', A: '2' } },
      'metadata.A is given twice: names do not differ by case',
    ],
    [
      'too many members',
      { metadata: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, ''])) },
      'metadata must have at most 64 members',
    ],
    ['an unknown member', { id: 'x' }, 'id is not a known member'],
  ])('refuse metadata with %s', async (_, sent, fault) => {
    const { body } = await api.put('/tenants/refused', sent).expect(422)
    expect(body.data).toEqual([fault])
    await api.get('/tenants/refused').expect(404)
  })

  it('take a metadata name that objects have of their own', async () => {
    const { body } = await api
      .put('/tenants/own', { metadata: { constructor: 'x', toString: 'y' } })
      .expect(201)
    expect(body.metadata).toEqual({ constructor: 'x', toString: 'y' })
  })

  it.each(['a b', 'ä', 'x'.repeat(129)])('refuse the id "%s"', async (id) => {
    const { body } = await api.put(`/tenants/${encodeURIComponent(id)}`).expect(422)
    expect(body.data).toEqual(['tenant_id must be 1 to 128 of A-Z a-z 0-9 . _ -'])
  })

  it('are 404 when there is none', async () => {
    const { body } = await api.get('/tenants/nobody').expect(404)
    expect(body).toMatchObject({ code: 'tenant_not_found' })
    await api.delete('/tenants/nobody').expect(404)
  })

  it('count their destinations and show the union of the topics', async () => {
    const tenant = await makeTenant(api)
    const path = `/tenants/${tenant}`
    await api.post(`${path}/destinations`, webhook({ topics: ['b', 'c'] })).expect(201)
    await api.post(`${path}/destinations`, webhook({ topics: ['a', 'b'] })).expect(201)
    const some = await api.get(path).expect(200)
    expect(some.body).toMatchObject({ destinations_count: 2, topics: ['a', 'b', 'c'] })
    await api.post(`${path}/destinations`, webhook({ topics: '*' })).expect(201)
    const all = await api.get(path).expect(200)
    expect(all.body).toMatchObject({ destinations_count: 3, topics: ['*'] })
  })

  it('go with their destinations, and come back as somebody else', async () => {
    const tenant = await makeTenant(api)
    const path = `/tenants/${tenant}`
    const made = await api.post(`${path}/destinations`, webhook({ id: 'hook' })).expect(201)
    const announced: string[] = []
    const off = api.state.onAnnouncement(({ destinationUid }) => announced.push(destinationUid))
    await api.delete(path).expect(200, { success: true })
    off()
    expect(announced).toHaveLength(1)
    await api.get(path).expect(404)
    await api.get(`${path}/destinations/hook`).expect(404)
    await api.delete(path).expect(404)

    await api.put(path).expect(201)
    const { body } = await api.get(path).expect(200)
    expect(body).toMatchObject({ destinations_count: 0, topics: [], metadata: {} })
    await api.get(`${path}/destinations`).expect(200, [])
    const again = await api.post(`${path}/destinations`, webhook({ id: 'hook' })).expect(201)
    expect(again.body.credentials.secret).not.toBe(made.body.credentials.secret)
  })

  it('do not outlive a create of a destination that runs beside the delete', async () => {
    const tenant = await makeTenant(api)
    const creates = Array.from({ length: 8 }, () =>
      api.post(`/tenants/${tenant}/destinations`, webhook()),
    )
    await Promise.all([...creates, api.delete(`/tenants/${tenant}`)])
    const { rows } = await api.store.pools.query.query(
      `select 1 from destinations d join tenants t on t.uid = d.tenant_uid
       where t.id = $1 and t.deleted_at is not null and d.deleted_at is null`,
      [tenant],
    )
    expect(rows).toEqual([])
  })
})

describe('the list of tenants', () => {
  let database: TestDatabase
  let api: TestApi

  beforeAll(async () => {
    database = await createTestDatabase()
    api = openApi({ postgresUrl: database.url })
    // All in one millisecond, so that only the uid tells them apart.
    await api.store.pools.query.query(
      `insert into tenants (uid, id, created_at)
       select gen_random_uuid(), 'tenant-' || n, '2026-01-01T00:00:00.000Z'
       from generate_series(1, 25) n`,
    )
    await api.put('/tenants/newest').expect(201)
    await api.put('/tenants/deleted').expect(201)
    await api.delete('/tenants/deleted').expect(200)
  })

  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  it('shows the newest first and counts all', async () => {
    const { body } = await api.get('/tenants?limit=1').expect(200)
    expect(body).toMatchObject({
      models: [{ id: 'newest' }],
      pagination: {
        order_by: 'created_at',
        dir: 'desc',
        limit: 1,
        next: expect.any(String),
        prev: null,
      },
      count: 26,
    })
  })

  it.each(['asc', 'desc'])('visits each once by next, and each again by prev (%s)', async (dir) => {
    const forth: string[] = []
    let next: string | null = ''
    let last = { prev: null as string | null }
    while (next !== null) {
      const cursor: string = next === '' ? '' : `&next=${next}`
      const { body } = await api.get(`/tenants?limit=10&dir=${dir}${cursor}`).expect(200)
      forth.push(...body.models.map(({ id }: { id: string }) => id))
      last = body.pagination
      next = body.pagination.next
    }
    expect(new Set(forth).size).toBe(26)
    expect(forth).toHaveLength(26)

    const back: string[] = []
    let prev = last.prev
    while (prev !== null) {
      const { body } = await api.get(`/tenants?limit=10&dir=${dir}&prev=${prev}`).expect(200)
      back.unshift(...body.models.map(({ id }: { id: string }) => id))
      prev = body.pagination.prev
    }
    expect(back).toEqual(forth.slice(0, 20))
  })

  it.each([
    ['limit=0', 'limit must be at least 1'],
    ['limit=1001', 'limit must be at most 1000'],
    ['limit=many', 'limit must be an integer'],
    ['limit=1&limit=2', 'limit must be given once'],
    ['dir=up', 'dir must be one of asc, desc'],
    ['next=abc', 'next is not a cursor of this list in this direction'],
    ['next=abc&prev=abc', 'next must not be given together with prev'],
    ['next=%00', 'next must not contain U+0000'],
    ['status=success', 'status is not a known parameter'],
    ['limit[gte]=1', 'limit[gte] is not a known parameter'],
  ])('refuses ?%s', async (query, fault) => {
    const { body } = await api.get(`/tenants?${query}`).expect(422)
    expect(body.data).toEqual([fault])
  })

  it('refuses a cursor of the other direction', async () => {
    const { body } = await api.get('/tenants?limit=1').expect(200)
    const refused = await api.get(`/tenants?dir=asc&next=${body.pagination.next}`).expect(422)
    expect(refused.body.code).toBe('validation_error')
  })
})

import { createTestDatabase, type TestDatabase, waitFor } from '@postrider/testkit'
import { makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

describe('a merge patch of a destination', () => {
  let database: TestDatabase
  let api: TestApi
  let path: string
  let made: Record<string, unknown>

  beforeAll(async () => {
    database = await createTestDatabase()
    api = openApi({ postgresUrl: database.url })
  })

  beforeEach(async () => {
    path = `/tenants/${await makeTenant(api)}/destinations/hook`
    const { body } = await api.post(
      path.replace('/hook', ''),
      webhook({
        id: 'hook',
        topics: ['a', 'b'],
        config: { url: 'http://127.0.0.1:9/hook', custom_headers: '{"x-a":"1"}' },
        filter: { topic: 'a' },
        delivery_metadata: { a: '1', b: '2' },
        metadata: { c: '3' },
      }),
    )
    made = body
  })

  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  /** What a patch makes of the destination; `updated_at` moves with every change. */
  const expectPatched = async (
    patch: object,
    change: object,
    gone: string[] = [],
  ): Promise<void> => {
    const { body } = await api.patch(path, patch).expect(200)
    const kept = Object.fromEntries(Object.entries(made).filter(([name]) => !gone.includes(name)))
    expect(body).toEqual({ ...kept, ...change, updated_at: body.updated_at })
    await api.get(path).expect(200, body)
  }

  it('replaces topics and the filter', async () => {
    await expectPatched(
      { topics: ['c'], filter: { data: { x: 1 } } },
      { topics: ['c'], filter: { data: { x: 1 } } },
    )
  })

  it.each([[{}], [null]])('clears the filter by %j', async (filter) => {
    await expectPatched({ filter }, {}, ['filter'])
  })

  it('replaces, adds and removes single members of maps', async () => {
    await expectPatched(
      {
        config: { custom_headers: null, url: 'http://127.0.0.1:9/other' },
        delivery_metadata: { a: null, b: '4', d: '5' },
      },
      {
        config: { url: 'http://127.0.0.1:9/other' },
        target: 'http://127.0.0.1:9/other',
        delivery_metadata: { b: '4', d: '5' },
      },
    )
  })

  it('clears a map by null', async () => {
    await expectPatched({ metadata: null, delivery_metadata: null }, {}, [
      'metadata',
      'delivery_metadata',
    ])
  })

  it('moves updated_at when something changed', async () => {
    const before = String(made['updated_at'])
    await waitFor(() => Date.now() > Date.parse(before) + 1, { what: 'another millisecond' })
    const { body } = await api.patch(path, { metadata: { c: '4' } }).expect(200)
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(before))
    expect(body.created_at).toBe(made['created_at'])
  })

  it('changes nothing by the destination itself', async () => {
    const { body } = await api.patch(path, made).expect(200)
    expect(body).toEqual(made)
  })

  it('changes nothing by an empty one', async () => {
    await api.patch(path, {}).expect(200, made)
    const nothing = { config: {}, credentials: {}, metadata: { none: null } }
    const { body } = await api.patch(path, nothing).expect(200)
    expect(body).toEqual(made)
  })

  it.each([
    ['id', 'other'],
    ['tenant_id', 'other'],
    ['type', 'other'],
    ['target', 'other'],
    ['target_url', 'http://127.0.0.1/'],
    ['disabled_at', '2026-01-01T00:00:00.000Z'],
    ['created_at', null],
    ['updated_at', '2026-01-01T00:00:00.000Z'],
  ])('refuses another %s', async (name, value) => {
    const { body } = await api.patch(path, { [name]: value, topics: ['z'] }).expect(422)
    expect(body.data).toEqual([`${name} cannot be changed`])
    await api.get(path).expect(200, made)
  })

  it.each([
    ['a required field removed', { config: { url: null } }, 'config.url is required'],
    ['config cleared', { config: null }, 'config.url is required'],
    ['a bad value', { config: { url: 'x' } }, 'config.url must be an http or https URL'],
    ['an unknown field', { config: { uri: 'x' } }, 'config.uri is unknown'],
    ['topics cleared', { topics: null }, 'topics must be an array or a string'],
    ['an unknown member', { colour: 'red' }, 'colour is not a known member'],
    ['an unknown operator', { filter: { topic: { $a: 1 } } }, 'filter.topic.$a is not an operator'],
    ['metadata of another type', { metadata: { a: 1 } }, 'metadata.a must be a string or null'],
    [
      'metadata that differ by case from what is there',
      { metadata: { C: '4' } },
      'metadata.C is given twice: names do not differ by case',
    ],
    [
      'too much metadata',
      { metadata: Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`k${i}`, ''])) },
      'metadata must have at most 64 members',
    ],
  ])('refuses %s', async (_, patch, fault) => {
    const { body } = await api.patch(path, patch).expect(422)
    expect(body.data).toEqual([fault])
    await api.get(path).expect(200, made)
  })

  it('is no mass assignment by __proto__', async () => {
    const { body } = await api
      .patch(path)
      .set('content-type', 'application/json')
      .send('{"config":{"__proto__":{"url":"http://127.0.0.1/"}}}')
      .expect(422)
    expect(body.data).toEqual([
      'config.__proto__ must be a string or a number or a boolean or null',
    ])
    const text = await api
      .patch(path)
      .set('content-type', 'application/json')
      .send('{"config":{"__proto__":"x"}}')
      .expect(422)
    expect(text.body.data).toEqual(['config.__proto__ is unknown'])
  })

  it('is 404 for what does not exist, after it was found valid', async () => {
    const other = path.replace('/hook', '/none')
    const { body } = await api.patch(other, { topics: ['z'] }).expect(404)
    expect(body.code).toBe('destination_not_found')
    await api.patch(other, { topics: [] }).expect(422)
    const nobody = await api.patch('/tenants/nobody/destinations/none', {}).expect(404)
    expect(nobody.body.code).toBe('tenant_not_found')
  })

  it('loses nothing of fifty others that run at once', async () => {
    const patches = Array.from({ length: 50 }, (_, i) =>
      api.patch(path, { metadata: { [`k${i}`]: String(i) } }).expect(200),
    )
    await Promise.all(patches)
    const { body } = await api.get(path).expect(200)
    const expected = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, String(i)]))
    expect(body.metadata).toEqual({ c: '3', ...expected })
  })
})

describe('the limit of destinations', () => {
  it('is exact when creates run at once, and is given back by a delete', async () => {
    await using database = await createTestDatabase()
    await using api = openApi({
      postgresUrl: database.url,
      env: { MAX_DESTINATIONS_PER_TENANT: '5' },
    })
    const path = `/tenants/${await makeTenant(api)}/destinations`
    const answers = await Promise.all(Array.from({ length: 30 }, () => api.post(path, webhook())))
    const refused = answers.filter(({ status }) => status === 409)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(refused).toHaveLength(25)
    expect(refused[0]?.body).toMatchObject({ status: 409, code: 'destination_limit_reached' })

    const { body } = await api.get(path).expect(200)
    expect(body).toHaveLength(5)
    await api.delete(`${path}/${body[0].id}`).expect(200)
    await api.post(path, webhook()).expect(201)
    await api.post(path, webhook()).expect(409)
  })

  it('makes one of many that want the same id at once', async () => {
    await using database = await createTestDatabase()
    await using api = openApi({ postgresUrl: database.url })
    const path = `/tenants/${await makeTenant(api)}/destinations`
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => api.post(path, webhook({ id: 'one' }))),
    )
    const codes = answers.map(({ body }) => body.code).filter((code) => code !== undefined)
    expect(codes).toEqual(Array.from({ length: 9 }, () => 'destination_exists'))
  })
})

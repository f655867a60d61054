import { gzipSync } from 'node:zlib'
import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import request from 'supertest'
import { API_KEY, makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

describe('the order of refusals', () => {
  let database: TestDatabase
  let api: TestApi

  beforeAll(async () => {
    database = await createTestDatabase()
    api = openApi({
      postgresUrl: database.url,
      env: { MAX_REQUEST_BODY_BYTES: '4096', MAX_EVENT_DATA_BYTES: '2048' },
    })
  })

  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  const put = (path: string): request.Test =>
    request(api.api.app).put(`/api/v1${path}`).auth(API_KEY, { type: 'bearer' })

  it('answers an unknown path with 404 before it asks who calls', async () => {
    const { body } = await request(api.api.app).get('/api/v1/nowhere').expect(404)
    expect(body).toEqual({ status: 404, code: 'not_found', message: 'no such path' })
  })

  it('answers a path that is no text with 404', async () => {
    const { body } = await api.get('/tenants/%ff').expect(404)
    expect(body.code).toBe('not_found')
  })

  it('answers another method with 405 and says which there are', async () => {
    const { body } = await request(api.api.app)
      .post('/api/v1/tenants/acme')
      .expect(405)
      .expect('allow', 'PUT, GET, HEAD, DELETE')
    expect(body.code).toBe('method_not_allowed')
  })

  it.each([
    ['no header', undefined],
    ['another scheme', `Basic ${API_KEY}`],
    ['no key', 'Bearer'],
    ['a wrong key', 'Bearer wrong'],
    ['the beginning of a key', `Bearer ${API_KEY.slice(0, -1)}`],
    ['two keys', `Bearer ${API_KEY} ${API_KEY}`],
  ])('answers %s with 401 before it looks at the body', async (_, authorization) => {
    const asked = request(api.api.app).put('/api/v1/tenants/acme').type('text/plain')
    if (authorization !== undefined) asked.set('authorization', authorization)
    const { body } = await asked
      .send('x'.repeat(5000))
      .expect(401)
      .expect('www-authenticate', 'Bearer')
    expect(body).toMatchObject({ status: 401, code: 'unauthorized' })
  })

  it('knows every key while one is being rotated out', async () => {
    await request(api.api.app)
      .get('/api/v1/tenants')
      .set('authorization', 'bearer the-key-before-that')
      .expect(200)
  })

  it.each([
    'text/plain',
    'application/xml',
    'application/json; charset=latin1',
    'application/jsonp',
  ])('answers a body of type %s with 415', async (type) => {
    const { body } = await put('/tenants/acme').set('content-type', type).send('{}').expect(415)
    expect(body.code).toBe('unsupported_media_type')
  })

  it.each(['application/json; charset=utf-8', 'application/merge-patch+json', 'Application/JSON'])(
    'takes a body of type %s',
    async (type) => {
      const { body } = await put('/tenants/any-type').set('content-type', type).send('{}')
      expect(body.id).toBe('any-type')
    },
  )

  it('answers an unknown encoding with 415', async () => {
    const { body } = await put('/tenants/acme')
      .set('content-type', 'application/json')
      .set('content-encoding', 'br')
      .send('{}')
      .expect(415)
    expect(body.code).toBe('unsupported_media_type')
  })

  it('answers a body over the limit with 413, and names the setting', async () => {
    const { body } = await put('/tenants/acme')
      .set('content-type', 'application/json')
      .send(`{"metadata":{"a":"${'x'.repeat(5000)}`)
      .expect(413)
    expect(body).toMatchObject({ status: 413, code: 'payload_too_large' })
    expect(body.message).toContain('4096 bytes (MAX_REQUEST_BODY_BYTES)')
  })

  it('counts a gzip body inflated', async () => {
    const bomb = gzipSync(`{"metadata":{"a":"${'x'.repeat(1_000_000)}"}}`)
    const { body } = await sendBytes('/tenants/acme', bomb).expect(413)
    expect(body.code).toBe('payload_too_large')
  })

  it('takes a gzip body', async () => {
    const { body } = await sendBytes('/tenants/zipped', gzipSync('{"metadata":{"a":"b"}}')).expect(
      201,
    )
    expect(body.metadata).toEqual({ a: 'b' })
  })

  it.each([
    ['is not gzip', Buffer.from('hello')],
    ['is cut gzip', gzipSync('{"metadata":{}}').subarray(0, 20)],
  ])('answers a body that %s with 400', async (_, bytes) => {
    const { body } = await sendBytes('/tenants/acme', bytes).expect(400)
    expect(body.code).toBe('invalid_json')
  })

  const sendBytes = (path: string, bytes: Buffer): request.Test =>
    put(path)
      .set('content-type', 'application/json')
      .set('content-encoding', 'gzip')
      .serialize((value: unknown) => value as string)
      .send(bytes)

  it.each([
    ['is no JSON', '{'],
    ['is text after JSON', '{} {}'],
    ['has a byte order mark', '\ufeff{}'],
  ])('answers a body that %s with 400', async (_, text) => {
    const { body } = await put('/tenants/acme')
      .set('content-type', 'application/json')
      .send(text)
      .expect(400)
    expect(body).toEqual({ status: 400, code: 'invalid_json', message: 'the body is not JSON' })
  })

  it('answers a body that is not UTF-8 with 400', async () => {
    const { body } = await put('/tenants/acme')
      .set('content-type', 'application/json')
      .serialize((value: unknown) => value as string)
      .send(Buffer.from('{"metadata":{"a":"\xff"}}', 'latin1'))
      .expect(400)
    expect(body.message).toBe('the body is not UTF-8')
  })

  it('answers a missing body with 400 where one is needed', async () => {
    const tenant = await makeTenant(api)
    const { body } = await api.post(`/tenants/${tenant}/destinations`).expect(400)
    expect(body.code).toBe('invalid_json')
  })

  it('tells all faults of a request at once', async () => {
    const { body } = await api
      .post('/tenants/not%20an%20id/destinations?colour=red', {
        type: 5,
        topics: [],
        config: { url: null },
        surprise: 1,
      })
      .expect(422)
    expect(body).toEqual({
      status: 422,
      code: 'validation_error',
      message: 'validation error',
      data: [
        'tenant_id must be 1 to 128 of A-Z a-z 0-9 . _ -',
        'colour is not a known parameter',
        'surprise is not a known member',
        'type must be a string',
        'topics must not be empty',
        'config.url must be a string or a number or a boolean',
      ],
    })
  })

  it('tells a bounded number of faults', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`m${i}`, 1]))
    const { body } = await api.put('/tenants/acme', many).expect(422)
    expect(body.data).toHaveLength(101)
    expect(body.data.at(-1)).toBe('… and 200 more faults')
  })

  it('says that a body must be an object', async () => {
    const { body } = await api.put('/tenants/acme', []).expect(422)
    expect(body.data).toEqual(['body must be an object'])
  })

  it('names prototype keys as any unknown member, and is not harmed by them', async () => {
    const { body } = await put('/tenants/acme')
      .set('content-type', 'application/json')
      .send('{"__proto__":{"polluted":true},"constructor":1}')
      .expect(422)
    expect(body.data).toEqual([
      '__proto__ is not a known member',
      'constructor is not a known member',
    ])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('answers validation before existence', async () => {
    await api.post('/tenants/nobody/destinations', webhook({ topics: 5 })).expect(422)
    const { body } = await api.post('/tenants/nobody/destinations', webhook()).expect(404)
    expect(body).toEqual({
      status: 404,
      code: 'tenant_not_found',
      message: 'there is no tenant nobody',
    })
  })
})

describe('every answer', () => {
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

  it('carries the request id that came with the request', async () => {
    const { headers } = await api.get('/nowhere').set('x-request-id', 'abc_1.2-3').expect(404)
    expect(headers['x-request-id']).toBe('abc_1.2-3')
  })

  it.each(['', 'a b', 'x'.repeat(129)])('has an id of its own in place of "%s"', async (id) => {
    const { headers } = await api.get('/tenants').set('x-request-id', id).expect(200)
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('is JSON and says nothing about what made it', async () => {
    const { headers } = await api.get('/tenants').expect(200)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers).not.toHaveProperty('x-powered-by')
    expect(headers).not.toHaveProperty('etag')
  })
})

describe('health', () => {
  it('is alive with and without the base path', async () => {
    await using database = await createTestDatabase()
    await using api = openApi({ postgresUrl: database.url })
    await request(api.api.app).get('/healthz').expect(200, { status: 'ok' })
    await request(api.api.app).get('/api/v1/healthz').expect(200, { status: 'ok' })
  })

  it('is ready on a schema that serves it', async () => {
    await using database = await createTestDatabase()
    await using api = openApi({ postgresUrl: database.url })
    await request(api.api.app)
      .get('/api/v1/readyz')
      .expect(200, {
        status: 'ready',
        checks: {
          postgres: 'ok',
          schema: 'ok',
          broker: 'ok',
          state: 'ok',
          oldest_due_age_seconds: 0,
        },
      })
  })

  it('is unready on an empty database', async () => {
    await using database = await createTestDatabase({ isMigrated: false })
    await using api = openApi({ postgresUrl: database.url })
    const { body } = await request(api.api.app).get('/api/v1/readyz').expect(503)
    expect(body).toMatchObject({
      status: 'unready',
      checks: { postgres: 'ok', schema: 'mismatch' },
    })
  })

  it('is unready, and answers 503 with a time to wait, when Postgres is away', async () => {
    await using api = openApi({ postgresUrl: 'postgres://nobody@127.0.0.1:1/none' })
    const { body } = await request(api.api.app).get('/api/v1/readyz').expect(503)
    expect(body).toMatchObject({
      status: 'unready',
      checks: { postgres: 'away', schema: 'unknown' },
    })
    const refused = await api.get('/tenants').expect(503).expect('retry-after', '5')
    expect(refused.body.code).toBe('unavailable')
  })

  it('turns unready with the stop, which ends the requests in flight and may be asked for twice', async () => {
    await using database = await createTestDatabase()
    await using api = openApi({ postgresUrl: database.url })
    const { port } = await api.api.start()
    await request(`http://127.0.0.1:${port}`).get('/healthz').expect(200)
    await Promise.all([api.api.stop(), api.api.stop()])
    await request(api.api.app).get('/api/v1/readyz').expect(503)
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed')
  })
})

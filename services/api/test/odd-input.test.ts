import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import request from 'supertest'
import { API_KEY, makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

const RULE = 'must be 1 to 128 of A-Z a-z 0-9 . _ -'
const EVENT_RULE = 'must be 1 to 128 of A-Z a-z 0-9 . _ : -'

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

/** Sends JSON as it is written: what `JSON.stringify` would mend arrives, too. */
function send(method: 'put' | 'post' | 'patch', path: string, json: string | Buffer): request.Test {
  const asked = request(api.api.app)[method](`/api/v1${path}`).auth(API_KEY, { type: 'bearer' })
  return asked
    .set('content-type', 'application/json')
    .serialize((value: unknown) => value as string)
    .send(json)
}

describe('percent-encoding', () => {
  it.each(['%', '%2', '%zz', '%ff', '%c3%28', '%ed%a0%80'])(
    'that is not UTF-8 text (%s) makes a path that is not there, and a query with a fault',
    async (text) => {
      const { body: path } = await api.get(`/tenants/${text}`).expect(404)
      expect(path.code).toBe('not_found')
      const { body: query } = await api.get(`/events?topic=${text}`).expect(422)
      expect(query.data).toEqual(['query must be percent-encoded UTF-8'])
    },
  )

  it('of a slash is part of a parameter, and dots lead nowhere', async () => {
    const { body } = await api.get('/tenants/a%2Fevents').expect(422)
    expect(body.data).toEqual([`tenant_id ${RULE}`])
    await api.get('/tenants/%2e%2e/events').expect(404)
  })
})

describe('U+0000', () => {
  it.each([
    ['/tenants/%00', `tenant_id ${RULE}`],
    ['/events/%00', `event_id ${EVENT_RULE}`],
    ['/events?topic=%00', 'topic must not contain U+0000'],
    ['/attempts?event_id=a%00', 'event_id must not contain U+0000'],
    ['/tenants?next=%00', 'next must not contain U+0000'],
  ])('is refused in %s', async (path, fault) => {
    const { body } = await api.get(path).expect(422)
    expect(body.data).toEqual([fault])
  })

  it.each([
    ['/attempts/%00', 'attempt_not_found'],
    ['/destination-types/%00', 'destination_type_not_found'],
  ])('is the name of nothing in %s', async (path, code) => {
    const { body } = await api.get(path).expect(404)
    expect(body.code).toBe(code)
  })

  it.each([
    ['metadata', { a: '\u0000' }, 'metadata.a must be at most 4 KiB without control characters'],
    [
      'config',
      { url: 'http://127.0.0.1:9/\u0000' },
      'config.url must not contain U+0000 or half of a surrogate pair',
    ],
    [
      'filter',
      { data: { '\u0000': 1 } },
      'filter.data must not contain U+0000 or half of a surrogate pair',
    ],
  ])('is refused in the %s of a destination', async (name, value, fault) => {
    const tenant = await makeTenant(api)
    const path = `/tenants/${tenant}/destinations`
    const { body } = await api.post(path, webhook({ [name]: value })).expect(422)
    expect(body.data).toContain(fault)
  })

  it('is kept in data, escaped as it was published', async () => {
    expect(await publishedData(String.raw`{"a\u0000":"\u0000"}`)).toBe(
      String.raw`{"a\u0000":"\u0000"}`,
    )
  })
})

describe('bytes that are not UTF-8', () => {
  it.each([
    ['a byte that none begins with', [0xff]],
    ['a character that is cut', [0xe2, 0x82]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
  ])('are no JSON: %s', async (_, bytes) => {
    const [before, after] = [Buffer.from('{"tenant_id":"a","data":{"a":"'), Buffer.from('"}}')]
    const body = Buffer.concat([before, Buffer.from(bytes), after])
    const { body: answer } = await send('post', '/publish', body).expect(400)
    expect(answer).toEqual({
      status: 400,
      code: 'invalid_json',
      message: 'the body is not UTF-8',
    })
  })
})

describe('halves of surrogate pairs, which only escapes can write', () => {
  it('are refused where they would have to be kept as text', async () => {
    const tenant = await makeTenant(api)
    const { body } = await send(
      'put',
      `/tenants/${tenant}`,
      String.raw`{"metadata":{"a":"\ud800"}}`,
    )
    expect(body.data).toEqual(['metadata.a must be at most 4 KiB without control characters'])
  })

  it('are kept in data', async () => {
    expect(await publishedData(String.raw`{"a":"\ud800"}`)).toBe(String.raw`{"a":"\ud800"}`)
  })
})

describe('nesting', () => {
  it('is kept in data, however deep', async () => {
    const tenant = await makeTenant(api)
    const filter = { data: { a: { a: { a: { $exist: true } } } } }
    await api.post(`/tenants/${tenant}/destinations`, webhook({ id: 'deep', filter })).expect(201)
    const data = nested(40_000)
    const { body } = await send('post', '/publish', publish(tenant, data)).expect(202)
    expect(body.destination_ids).toEqual(['deep'])
    expect(await dataOf(tenant, body.id)).toBe(data)
  })

  it('of a filter has an end', async () => {
    const tenant = await makeTenant(api)
    const config = '{"url":"http://127.0.0.1:9/hook"}'
    const json = `{"type":"webhook","topics":"*","config":${config},"filter":${nested(40_000)}}`
    const { body } = await send('post', `/tenants/${tenant}/destinations`, json).expect(422)
    expect(body.data).toEqual(['filter must have at most 16 levels'])
  })

  it('is refused where no object is wanted', async () => {
    const tenant = await makeTenant(api)
    const { body } = await send('put', `/tenants/${tenant}`, `{"metadata":{"a":${nested(40_000)}}}`)
    expect(body.data).toEqual(['metadata.a must be a string'])
  })
})

describe('a key that is given twice', () => {
  it('is refused in a publish, also when it is escaped', async () => {
    const tenant = await makeTenant(api)
    const json = String.raw`{"tenant_id":"${tenant}","data":{},"d\u0061ta":{},"tenant_id":"x"}`
    const { body } = await send('post', '/publish', json).expect(422)
    expect(body.data).toEqual(['data must be given once', 'tenant_id must be given once'])
  })

  it('is kept in data', async () => {
    expect(await publishedData('{"a":1,"a":2}')).toBe('{"a":1,"a":2}')
  })

  it('counts as it was given last elsewhere', async () => {
    const tenant = await makeTenant(api)
    const json = '{"metadata":{"a":"1"},"metadata":{"a":"2","a":"3"}}'
    const { body } = await send('put', `/tenants/${tenant}`, json).expect(200)
    expect(body.metadata).toEqual({ a: '3' })
  })
})

describe('keys of prototypes', () => {
  it.each(['__proto__', 'constructor', 'toString'])('are unknown parameters (%s)', async (name) => {
    const { body } = await api.get(`/events?${name}=1`).expect(422)
    expect(body.data).toEqual([`${name} is not a known parameter`])
  })

  it('are unknown fields of a destination', async () => {
    const tenant = await makeTenant(api)
    const json =
      '{"type":"webhook","topics":"*","config":{"url":"http://127.0.0.1:9/hook","__proto__":"a"},' +
      '"credentials":{"constructor":"b"},"metadata":{"__proto__":"c"}}'
    const { body } = await send('post', `/tenants/${tenant}/destinations`, json).expect(422)
    expect(body.data).toEqual([
      'metadata.__proto__ must have a name of A-Z a-z 0-9 _ - that starts with a letter or digit',
      'config.__proto__ is unknown',
      'credentials.constructor is unknown',
    ])
  })

  it('are no types', async () => {
    const tenant = await makeTenant(api)
    for (const type of ['__proto__', 'constructor']) {
      const { body } = await api
        .post(`/tenants/${tenant}/destinations`, webhook({ type }))
        .expect(422)
      expect(body.data[0]).toMatch(/^type must be one of webhook/)
    }
  })

  it('are keys like any other in data, and to filters', async () => {
    const tenant = await makeTenant(api)
    const config = '{"url":"http://127.0.0.1:9/hook"}'
    const filter = '{"data":{"__proto__":{"admin":true},"constructor":{"$exist":false}}}'
    const json = `{"id":"own","type":"webhook","topics":"*","config":${config},"filter":${filter}}`
    await send('post', `/tenants/${tenant}/destinations`, json).expect(201)
    const reached = async (data: string): Promise<unknown> => {
      const { body } = await send('post', '/publish', publish(tenant, data)).expect(202)
      return body.destination_ids
    }
    expect(await reached('{"__proto__":{"admin":true}}')).toEqual(['own'])
    expect(await reached('{"admin":true}')).toEqual([])
    expect(await reached('{"__proto__":{"admin":true},"constructor":1}')).toEqual([])
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })
})

describe('numbers', () => {
  it.each(['12345678901234567890', '1.10', '1e400', '-0', '1E-9999', `0.${'1'.repeat(5000)}`])(
    'are kept in data as they are written (%s)',
    async (number) => {
      expect(await publishedData(`{"n":${number}}`)).toBe(`{"n":${number}}`)
    },
  )

  it('are refused in a filter when no number could be compared with them', async () => {
    const tenant = await makeTenant(api)
    const config = '{"url":"http://127.0.0.1:9/hook"}'
    const json = `{"type":"webhook","topics":"*","config":${config},"filter":{"data":{"n":{"$lt":1e400}}}}`
    const { body } = await send('post', `/tenants/${tenant}/destinations`, json).expect(422)
    expect(body.data).toEqual(['filter.data.n.$lt is too large a number'])
  })

  it('are refused in config, too', async () => {
    const tenant = await makeTenant(api)
    const json = '{"type":"webhook","topics":"*","config":{"url":-1e999}}'
    const { body } = await send('post', `/tenants/${tenant}/destinations`, json).expect(422)
    expect(body.data).toContain('config.url is too large a number')
  })

  it.each(['0', '1001', '1e2', '0x10', '1.0', '-1', '99999999999999999999', ''])(
    'are no limit of a list: "%s"',
    async (limit) => {
      const { body } = await api.get(`/tenants?limit=${limit}`).expect(422)
      expect(body.data).toHaveLength(1)
      expect(body.data[0]).toMatch(/^limit must be/)
    },
  )
})

describe('times', () => {
  it.each(['2026-02-30T00:00:00Z', '2026-11-21T25:00:00Z', '2026-11-21 12:00:00+0000', 'now'])(
    'that do not exist are refused wherever they are given (%s)',
    async (time) => {
      const tenant = await makeTenant(api)
      const event = { tenant_id: tenant, time, data: {} }
      const { body: published } = await api.post('/publish', event).expect(422)
      expect(published.data).toEqual(['time must be a time of RFC 3339'])
      const path = `/tenants/${tenant}/destinations`
      const { body: made } = await api.post(path, webhook({ disabled_at: time })).expect(422)
      expect(made.data).toEqual(['disabled_at must be a time of RFC 3339'])
      const { body: listed } = await api.get(`/events?time[gte]=${encodeURIComponent(time)}`)
      expect(listed.data).toHaveLength(1)
      expect(listed.data[0]).toMatch(/^time\[gte\] must be a time of RFC 3339/)
    },
  )
})

describe('cursors', () => {
  const LISTS = ['/tenants', '/events', '/attempts', '/tenants/a/events']

  it.each([
    ['no text of ours', 'next'],
    ['empty', ''],
    ['not JSON', Buffer.from('{').toString('base64url')],
    ['of another form', forged({})],
    ['of a later version', forged(99, 'tenants desc', '2026-11-21T00:00:00.000Z', 'x', 0)],
    ['with a place that is none', forged(1, 'tenants desc', "'; drop table tenants", 'x', 0)],
  ])('that are %s are refused by every list, in both directions', async (_, cursor) => {
    await api.put('/tenants/a')
    for (const list of LISTS) {
      for (const side of ['next', 'prev']) {
        const { body } = await api.get(`${list}?${side}=${cursor}`).expect(422)
        expect(body.data).toEqual([`${side} is not a cursor of this list in this direction`])
      }
    }
  })

  it('of one list are refused by the others, and in the other direction', async () => {
    await makeTenant(api)
    await makeTenant(api)
    const { body } = await api.get('/tenants?limit=1').expect(200)
    const { next } = body.pagination
    await api.get(`/tenants?next=${next}`).expect(200)
    for (const list of ['/tenants?dir=asc', '/events?dir=desc', '/attempts?dir=desc']) {
      await api.get(`${list}&next=${next}`).expect(422)
    }
    const { body: both } = await api.get(`/tenants?next=${next}&prev=${next}`).expect(422)
    expect(both.data).toEqual(['next must not be given together with prev'])
  })
})

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
}

function forged(...fields: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

function publish(tenant: string, data: string): string {
  return `{"tenant_id":"${tenant}","topic":"odd","data":${data}}`
}

/** What is shown of data that was published, as text. */
async function publishedData(data: string): Promise<string> {
  const tenant = await makeTenant(api)
  const { body } = await send('post', '/publish', publish(tenant, data)).expect(202)
  return dataOf(tenant, (body as { id: string }).id)
}

async function dataOf(tenant: string, id: string): Promise<string> {
  const { text } = await api.get(`/tenants/${tenant}/events/${id}`).expect(200)
  return text.slice(text.indexOf('"data":') + '"data":'.length, text.lastIndexOf(',"deliveries":'))
}

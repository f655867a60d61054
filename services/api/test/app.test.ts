import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Log, LogFields } from '@postrider/common'
import { waitFor } from '@postrider/testkit'
import request from 'supertest'
import { Type } from 'typebox'
import { createApp } from '../src/http/app.ts'
import { ApiKeyAuthenticator } from '../src/http/auth.ts'
import { JsonText } from '../src/http/json-text.ts'
import { defineRoute, type Route } from '../src/http/route.ts'

interface Line {
  readonly level: string
  readonly message: string
  readonly fields: LogFields | undefined
}

class RecordingLog implements Log {
  readonly lines: Line[] = []
  readonly error = this.#record('error')
  readonly warn = this.#record('warn')
  readonly info = this.#record('info')
  readonly debug = this.#record('debug')

  #record(level: string): (message: string, fields?: LogFields) => void {
    return (message, fields) => this.lines.push({ level, message, fields })
  }
}

const base = {
  method: 'GET',
  access: 'none',
  operationId: 'any',
  summary: 'Any',
  tag: 'Service',
} as const

const Anything = Type.Unsafe<object>({})

const failing = (path: string, error: Error): Route =>
  defineRoute({
    ...base,
    path,
    responses: { 200: Anything },
    handle: async () => {
      throw error
    },
  })

const echo = defineRoute({
  ...base,
  method: 'POST',
  path: '/echo',
  query: Type.Object(
    {
      count: Type.Optional(Type.Integer()),
      name: Type.Optional(Type.String()),
      tag: Type.Optional(Type.Array(Type.String())),
      'time[gte]': Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
  body: Type.Object({}),
  isBodyOptional: true,
  responses: { 200: Anything },
  handle: async ({ query, body, rawBody }) => ({
    status: 200,
    body: { query, body, raw: rawBody.toString() },
  }),
})

const old = defineRoute({
  ...base,
  path: '/old/:name',
  isDeprecated: true,
  successor: '/new/:name',
  responses: { 200: Anything },
  handle: async () => ({ status: 200, body: new JsonText('{"n":12345678901234567890}') }),
})

describe('the app', () => {
  let log: RecordingLog

  const appWith = (...routes: Route[]): ReturnType<typeof createApp> =>
    createApp(
      { authenticator: new ApiKeyAuthenticator(['key']), maxRequestBodyBytes: 100, log },
      routes,
    )

  beforeEach(() => {
    log = new RecordingLog()
  })

  it('answers what nobody expected with 500 and no details, and logs it once with its request id', async () => {
    const error = new Error('select secret from nowhere')
    const { body } = await request(appWith(failing('/fails', error)))
      .get('/api/v1/fails')
      .set('x-request-id', 'the-request')
      .expect(500)
    expect(body).toEqual({ status: 500, code: 'internal_error', message: 'internal error' })
    expect(log.lines).toEqual([
      {
        level: 'error',
        message: 'request failed',
        fields: { requestId: 'the-request', method: 'GET', path: '/api/v1/fails', error },
      },
    ])
  })

  it.each([
    ['a lost connection', Object.assign(new Error('lost'), { code: 'ECONNREFUSED' })],
    ['a server that stops', Object.assign(new Error('stops'), { code: '57P01' })],
    ['a statement that took too long', Object.assign(new Error('slow'), { code: '57014' })],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
  ])('answers %s of Postgres with 503 and a time to wait', async (_, error) => {
    const { body } = await request(appWith(failing('/fails', error)))
      .get('/api/v1/fails')
      .expect(503)
      .expect('retry-after', '5')
    expect(body.code).toBe('unavailable')
    expect(log.lines.map(({ level }) => level)).toEqual(['warn'])
  })

  it('marks deprecated routes and names their successor', async () => {
    const { headers, text } = await request(appWith(old)).get('/api/v1/old/a%20b').expect(200)
    expect(headers).toMatchObject({
      deprecation: 'true',
      link: '</api/v1/new/a%20b>; rel="successor-version"',
    })
    expect(text).toBe('{"n":12345678901234567890}')
  })

  it.each([
    ['count=5&name=5', { count: 5, name: '5' }],
    ['tag=a&tag=b', { tag: ['a', 'b'] }],
    ['tag[]=a&tag[1]=b', { tag: ['a', 'b'] }],
    ['tag%5B%5D=a%20b', { tag: ['a b'] }],
    ['time[gte]=2026-11-21', { 'time[gte]': '2026-11-21' }],
    ['name=', { name: '' }],
  ])('reads the query %s', async (search, query) => {
    const { body } = await request(appWith(echo)).post(`/api/v1/echo?${search}`).expect(200)
    expect(body).toEqual({ query, raw: '' })
  })

  it.each([
    ['__proto__=1', '__proto__ is not a known parameter'],
    ['constructor=1', 'constructor is not a known parameter'],
    ['name[]=1', 'name[] is not a known parameter'],
    ['time[lte]=1', 'time[lte] is not a known parameter'],
    ['count=1e3', 'count must be an integer'],
    ['count=99999999999999999999', 'count must be an integer'],
  ])('refuses the query %s', async (search, fault) => {
    const { body } = await request(appWith(echo)).post(`/api/v1/echo?${search}`).expect(422)
    expect(body.data).toEqual([fault])
  })

  it('hands the handler the bytes that it parsed', async () => {
    const text = '{ "n": 1.10 }'
    const { body } = await request(appWith(echo))
      .post('/api/v1/echo')
      .set('content-type', 'application/json')
      .send(text)
      .expect(200)
    expect(body).toEqual({ query: {}, body: { n: 1.1 }, raw: text })
  })

  describe('on a socket', () => {
    it('answers a body without an announced length once it is too large, and goes on', async () => {
      await using server = await serve(appWith(echo))
      const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/echo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: new ReadableStream({
          start: (stream) => {
            for (let i = 0; i < 50; i++) stream.enqueue(Buffer.alloc(1000, 0x20))
            stream.close()
          },
        }),
        duplex: 'half',
      })
      expect(answer.status).toBe(413)
      const next = await fetch(`http://127.0.0.1:${server.port}/api/v1/echo`, { method: 'POST' })
      expect(next.status).toBe(200)
    })

    it('says nothing about a caller who goes away within its body', async () => {
      await using server = await serve(appWith(echo))
      const socket = connect(server.port, '127.0.0.1')
      await once(socket, 'connect')
      const head = ['POST /api/v1/echo HTTP/1.1', 'host: x', 'content-type: application/json']
      socket.write([...head, 'content-length: 50', '', '{"a":'].join('\r\n'))
      await waitFor(() => server.requests() === 1, { what: 'the request' })
      socket.destroy()
      await waitFor(async () => (await server.connections()) === 0, {
        what: 'the end of the socket',
      })
      expect(log.lines).toEqual([])
    })
  })
})

interface Serving extends AsyncDisposable {
  readonly port: number
  requests(): number
  connections(): Promise<number>
}

async function serve(app: ReturnType<typeof createApp>): Promise<Serving> {
  const server = createServer(app)
  let requests = 0
  server.on('request', () => requests++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => requests,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { codeBlocks, runModule } from './code-blocks.ts'
import { DEFAULT_VECTORS } from './vectors.ts'

type Take = (id: string | null, event: unknown) => void
type Handle = (request: Request) => Promise<Response>

/** What the examples export. */
interface Example {
  readonly createApp: (secret: string, take: Take) => RequestListener | FastifyApp
  readonly createHandler: (secretOrJwksUrl: string, take: Take) => Handle
}

interface FastifyApp {
  listen(options: { port: number; host: string }): Promise<string>
  close(): Promise<void>
}

const WHSEC = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
const BODY = '{"hello":"world"}'
const FIRST = 'first-delivery'
const [firstVector] = DEFAULT_VECTORS

const DEFAULT_HEADERS = {
  'content-type': 'application/json',
  'x-service-id': 'evt_1',
  'x-service-signature': firstVector?.header ?? '',
}

function standardHeaders(signature: (content: string, time: Date) => string) {
  const seconds = Math.floor(Date.now() / 1000)
  return {
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': signature(`evt_1.${seconds}.${BODY}`, new Date(seconds * 1000)),
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an AddressInfo; the other forms are for pipes.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function close(server: Server): Promise<void> {
  await new Promise((resolve) => {
    server.close(resolve)
    server.closeAllConnections()
  })
}

async function example(path: string, index: number): Promise<Example> {
  const block = codeBlocks(path, 'js')[index] ?? ''
  return (await runModule(block)) as Example
}

describe.each([
  ['packages/verify/README.md', DEFAULT_HEADERS, FIRST],
  [
    'docs/webhooks.md',
    standardHeaders((_, time) => new Webhook(WHSEC).sign('evt_1', time, BODY)),
    WHSEC,
  ],
])('the examples of %s', (path, fastifyHeaders, fastifySecret) => {
  const taken: unknown[] = []
  const take: Take = (id, event) => taken.push({ id, event })

  afterEach(() => taken.splice(0))

  async function expectOnlyGenuine(post: (body: string) => Promise<Response>): Promise<void> {
    const genuine = await post(BODY)
    const changed = await post(BODY.replace('world', 'wordl'))
    expect([genuine.status, changed.status, await changed.text()]).toEqual([204, 400, 'no_match'])
    expect(taken).toEqual([{ id: 'evt_1', event: { hello: 'world' } }])
  }

  it('take what is signed and refuse what is not, in express', async () => {
    const { createApp } = await example(path, 0)
    const server = createServer(createApp(FIRST, take) as RequestListener)
    const url = await listen(server)
    await expectOnlyGenuine((body) =>
      fetch(`${url}/webhooks`, { method: 'POST', headers: DEFAULT_HEADERS, body }),
    )
    await close(server)
  })

  it('take what is signed and refuse what is not, in fastify', async () => {
    const { createApp } = await example(path, 1)
    const app = createApp(fastifySecret, take) as FastifyApp
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    await expectOnlyGenuine((body) =>
      fetch(`${url}/webhooks`, { method: 'POST', headers: fastifyHeaders, body }),
    )
    await app.close()
  })
})

describe('the handlers of fetch requests', () => {
  const taken: unknown[] = []
  const take: Take = (id, event) => taken.push({ id, event })

  afterEach(() => taken.splice(0))

  async function expectOnlyGenuine(handle: Handle, headers: Record<string, string>): Promise<void> {
    const url = 'https://receiver.test/webhooks'
    const post = (body: string): Promise<Response> =>
      handle(new Request(url, { method: 'POST', headers, body }))
    const statuses = [(await post(BODY)).status, (await post('{"hello":"wordl"}')).status]
    expect(statuses).toEqual([204, 400])
    expect(taken).toEqual([{ id: 'evt_1', event: { hello: 'world' } }])
  }

  it('take what is signed with the secret', async () => {
    const { createHandler } = await example('packages/verify/README.md', 2)
    await expectOnlyGenuine(createHandler(FIRST, take), DEFAULT_HEADERS)
  })

  it('take what is signed with a key of the tenant', async () => {
    const { createHandler } = await example('docs/webhooks.md', 2)
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: '1', use: 'sig', alg: 'EdDSA' }
    const server = createServer((_, response) => response.end(JSON.stringify({ keys: [jwk] })))
    const headers = standardHeaders(
      (content) => `v1a,${sign(null, Buffer.from(content), privateKey).toString('base64')}`,
    )
    await expectOnlyGenuine(createHandler(await listen(server), take), headers)
    await close(server)
  })
})

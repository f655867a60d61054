import { attemptIdOf } from '@postrider/common'
import { createTestDatabase, type TestDatabase } from '@postrider/testkit'
import type { TSchema } from 'typebox'
import type { Method, Route } from '../src/http/route.ts'
import { type DeliveredEvent, makeDeliveredEvent } from './delivered-event.ts'
import { forgeToken } from './forged-tokens.ts'
import { API_KEY, JWT_SECRET, makeTenant, openApi, type TestApi, webhook } from './open-api.ts'

/**
 * The rights of every caller on every route. The routes are those that the api serves, and what is
 * expected follows from what each says of itself: one that is added is in here without a word.
 */

type Expected = 'let through' | 'unauthorized' | 'forbidden' | 'not found'

/** A caller, and the tenant that it asks about: its own, A, or another one, B. */
interface Case {
  readonly caller: string
  readonly asksAbout: 'A' | 'B'
  expected(route: Route): Expected
}

const stranger = (caller: string): Case => ({
  caller,
  asksAbout: 'A',
  expected: ({ access }) => (access === 'none' ? 'let through' : 'unauthorized'),
})

const CASES: readonly Case[] = [
  ...[
    'nobody',
    'garbage',
    'a wrong key',
    'an expired token of A',
    'a token of A without a signature',
    'a token of A signed by another secret',
    'a token of A that was deleted',
  ].map(stranger),
  {
    caller: 'a token of A',
    asksAbout: 'A',
    expected: ({ access }) => (access === 'admin' ? 'forbidden' : 'let through'),
  },
  { caller: 'a token of A', asksAbout: 'B', expected: ofForeigner },
  { caller: 'the admin key', asksAbout: 'A', expected: () => 'let through' },
]

/** A tenant may not name another one; where none can be named, what is another's is not there. */
function ofForeigner(route: Route): Expected {
  if (route.access === 'none') return 'let through'
  if (route.access === 'admin' || namesTenant(route)) return 'forbidden'
  return namesThings(route) ? 'not found' : 'let through'
}

const hasTenantId = (schema: TSchema | undefined): boolean => {
  const { properties = {} } = (schema ?? {}) as { properties?: object }
  return 'tenant_id' in properties
}

const namesTenant = ({ path, query, body }: Route): boolean =>
  path.includes(':tenant_id') || hasTenantId(query) || hasTenantId(body)

/** Whether a request says which of a tenant's things it is about. */
const namesThings = ({ path, operationId }: Route): boolean =>
  /:(?:destination|event|attempt)_id/.test(path) || operationId === 'retryDelivery'

/** Bodies that are fine, of routes that take one. */
const BODIES: Readonly<Record<string, (of: DeliveredEvent) => object>> = {
  publishEvent: ({ tenant }) => ({ tenant_id: tenant, data: {} }),
  retryDelivery: ({ tenant, event }) => ({
    tenant_id: tenant,
    event_id: event.id,
    destination_id: 'good',
  }),
  putTenant: () => ({ metadata: {} }),
  createDestination: () => webhook(),
  updateDestination: () => ({ metadata: { a: '1' } }),
  rotateSigningKeys: () => ({}),
}

const CODES = { unauthorized: 401, forbidden: 403, 'not found': 404 } as const

const VERBS: Readonly<Record<Method, 'get' | 'put' | 'post' | 'patch' | 'delete'>> = {
  GET: 'get',
  PUT: 'put',
  POST: 'post',
  PATCH: 'patch',
  DELETE: 'delete',
}

// Connects to nothing: only the table is wanted.
const table = openApi({ postgresUrl: 'postgres://127.0.0.1:9/none' })
const { routes } = table.api

const cells = routes.flatMap((route) =>
  CASES.map((each) => {
    const expected = each.expected(route)
    const name = `${each.caller} on ${route.method} ${route.path} of ${each.asksAbout}`
    return { route, ...each, expected, name }
  }),
)

describe('the rights', () => {
  let database: TestDatabase
  let api: TestApi
  let a: DeliveredEvent
  let b: DeliveredEvent
  let deleted: string

  beforeAll(async () => {
    database = await createTestDatabase()
    api = openApi({ postgresUrl: database.url })
    a = await makeDeliveredEvent(api)
    b = await makeDeliveredEvent(api)
    const gone = await makeTenant(api)
    deleted = await api.tokenOf(gone)
    await api.delete(`/tenants/${gone}`).expect(200)
  })

  afterAll(async () => {
    await table[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  async function tokenOf(caller: string, { tenant }: DeliveredEvent): Promise<string> {
    const past = Math.floor(Date.now() / 1000) - 1
    const unsigned = forgeToken(tenant, { header: { alg: 'none' }, secret: JWT_SECRET })
    const tokens: Readonly<Record<string, string>> = {
      nobody: '',
      garbage: 'a.b.c',
      'a wrong key': `${API_KEY}!`,
      'an expired token of A': forgeToken(tenant, { claims: { exp: past }, secret: JWT_SECRET }),
      'a token of A without a signature': unsigned.slice(0, unsigned.lastIndexOf('.') + 1),
      'a token of A signed by another secret': forgeToken(tenant, { secret: `${JWT_SECRET}!` }),
      'a token of A that was deleted': deleted,
      'the admin key': API_KEY,
    }
    return tokens[caller] ?? (await api.tokenOf(tenant))
  }

  it.each(cells)('of $name: $expected', async ({ route, caller, asksAbout, expected }) => {
    // What is let through may change what it is about, so it has that for itself.
    const own = expected === 'let through' && asksAbout === 'A' ? await makeDeliveredEvent(api) : a
    const about = asksAbout === 'A' ? own : b
    const body = BODIES[route.operationId]?.(about)
    // A route that takes a body needs a line in BODIES.
    expect(body === undefined).toBe(route.body === undefined)

    const client = api.as(await tokenOf(caller, own))
    const answer = await client[VERBS[route.method]](pathOf(route, about), body)

    const allowed =
      expected === 'let through' ? Object.keys(route.responses).map(Number) : [CODES[expected]]
    expect(allowed).toContain(answer.status)
    expect(caller === 'a token of A' && answer.text.includes(b.event.id)).toBe(false)
  })

  it.each(
    routes.filter((route) => route.access === 'tenant' && !route.path.includes(':tenant_id')),
  )(
    'of a token of A on $path of B, where it need not name B: only what is its own',
    async (route) => {
      const body = BODIES[route.operationId]?.(b)
      const unnamed = body === undefined ? undefined : { ...body, tenant_id: undefined }
      const [path = ''] = pathOf(route, b).split('?')

      const answer = await api.as(await api.tokenOf(a.tenant))[VERBS[route.method]](path, unnamed)

      expect(answer.status).toBe(namesThings(route) ? 404 : 200)
      expect(answer.text).not.toContain(b.tenant)
    },
  )
})

function pathOf(route: Route, { tenant, event, succeeded }: DeliveredEvent): string {
  const values: Readonly<Record<string, string>> = {
    tenant_id: tenant,
    destination_id: 'good',
    event_id: event.id,
    attempt_id: attemptIdOf(succeeded.uid),
    type: 'webhook',
  }
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`give the path parameter ${name} a value here`)
    return value
  })
  return hasTenantId(route.query) ? `${path}?tenant_id=${tenant}` : path
}

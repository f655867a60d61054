import { ApiKeyAuthenticator, type Authenticator, authorize, firstOf } from './auth.ts'
import type { Access, Caller } from './route.ts'

describe('API keys', () => {
  const keys = new ApiKeyAuthenticator(['first-key-of-two', 'second-key-of-two'])

  it.each(['Bearer first-key-of-two', 'bearer   second-key-of-two'])('know %s', (header) => {
    expect(keys.authenticate(header)).toEqual({ kind: 'admin' })
  })

  it.each([undefined, '', 'Bearer', 'Bearer ', 'first-key-of-two', 'Bearer first-key-of-tw'])(
    'do not know %s',
    (header) => {
      expect(keys.authenticate(header)).toBeNull()
    },
  )
})

function knows(caller: Caller | null): Authenticator {
  return { authenticate: () => Promise.resolve(caller) }
}

interface Asked {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
}

function ask(
  caller: Caller | null,
  access: Access,
  { params = {}, query = {} }: Asked = {},
): Promise<Caller> {
  return authorize(knows(caller), { access }, { authorization: 'Bearer x', params, query })
}

describe('several who know callers', () => {
  it('are asked in turn', async () => {
    const tenant: Caller = { kind: 'tenant', tenantId: 'acme' }
    const nobody = knows(null)
    await expect(firstOf(nobody, knows(tenant)).authenticate('x')).resolves.toEqual(tenant)
    await expect(firstOf(nobody, nobody).authenticate('x')).resolves.toBeNull()
  })
})

describe('access', () => {
  const tenant: Caller = { kind: 'tenant', tenantId: 'acme' }

  it('is given to everybody where nobody is asked', async () => {
    await expect(ask(null, 'none')).resolves.toEqual({ kind: 'anonymous' })
  })

  it.each(['admin', 'tenant'] as const)('is given to the admin (%s)', async (access) => {
    await expect(ask({ kind: 'admin' }, access)).resolves.toEqual({ kind: 'admin' })
  })

  it('is given to a tenant for its own path, and for paths of no tenant', async () => {
    await expect(ask(tenant, 'tenant', { params: { tenant_id: 'acme' } })).resolves.toEqual(tenant)
    await expect(ask(tenant, 'tenant', { query: { tenant_id: ['acme'] } })).resolves.toEqual(tenant)
    await expect(ask(tenant, 'tenant')).resolves.toEqual(tenant)
  })

  it('is refused to nobody', async () => {
    await expect(ask(null, 'tenant')).rejects.toMatchObject({ status: 401, code: 'unauthorized' })
  })

  it.each<[string, Access, Asked]>([
    ['the admin’s', 'admin', { params: { tenant_id: 'acme' } }],
    ['another tenant’s', 'tenant', { params: { tenant_id: 'other' } }],
    ['filtered by another tenant', 'tenant', { query: { tenant_id: 'other' } }],
    ['filtered by another tenant, too', 'tenant', { query: { tenant_id: ['acme', 'other'] } }],
  ])('is refused to a tenant for what is %s', async (_, access, asked) => {
    await expect(ask(tenant, access, asked)).rejects.toMatchObject({
      status: 403,
      code: 'forbidden',
    })
  })
})

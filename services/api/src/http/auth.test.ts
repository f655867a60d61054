import { ApiKeyAuthenticator, type Authenticator, authorize } from './auth.ts'
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

function ask(caller: Caller | null, access: Access, params = {}): Promise<Caller> {
  return authorize(knows(caller), 'Bearer x', { access }, params)
}

describe('access', () => {
  const tenant: Caller = { kind: 'tenant', tenantId: 'acme' }

  it('is given to everybody where nobody is asked', async () => {
    await expect(ask(null, 'none')).resolves.toEqual({ kind: 'anonymous' })
  })

  it.each(['admin', 'tenant'] as const)('is given to the admin (%s)', async (access) => {
    await expect(ask({ kind: 'admin' }, access)).resolves.toEqual({ kind: 'admin' })
  })

  it('is given to a tenant for its own path, and for paths of no tenant', async () => {
    await expect(ask(tenant, 'tenant', { tenant_id: 'acme' })).resolves.toEqual(tenant)
    await expect(ask(tenant, 'tenant')).resolves.toEqual(tenant)
  })

  it('is refused to nobody', async () => {
    await expect(ask(null, 'tenant')).rejects.toMatchObject({ status: 401, code: 'unauthorized' })
  })

  it('is refused to a tenant for what is the admin’s, or another tenant’s', async () => {
    await expect(ask(tenant, 'admin')).rejects.toMatchObject({ status: 403, code: 'forbidden' })
    await expect(ask(tenant, 'tenant', { tenant_id: 'other' })).rejects.toMatchObject({
      status: 403,
      code: 'forbidden',
    })
  })
})

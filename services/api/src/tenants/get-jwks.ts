import { Batcher } from '@postrider/common'
import { type PublicSigningKey, readPublicKeys } from '@postrider/store'
import type { ApiContext } from '../context.ts'
import { signingKeysNotFound } from '../http/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { TenantParams } from '../http/schemas.ts'
import { JwkSet, jwkSet } from './signing-key-view.ts'
import { makesKeys } from './signs.ts'

/**
 * Much shorter than the window of a rotation, in which the old key signs beside the new one: whoever
 * has an old set verifies by the old key, and has a new set before that ends.
 */
const CACHE_FOR_SECONDS = 3600

/** Public keys, for receivers and their caches: whoever asks need not say who they are. */
export function getJwksRoute({ store, config }: ApiContext): Route {
  // Strangers hold one connection of the pool at most, however many of them ask.
  const reads = new Batcher<string, readonly PublicSigningKey[]>({
    maxItems: 200,
    concurrency: 1,
    run: async (tenantIds) => {
      const makesMissing = makesKeys(config)
      const sets = await readPublicKeys(store, [...new Set(tenantIds)], { makesMissing })
      return tenantIds.map((id) => sets.get(id) ?? [])
    },
  })
  return defineRoute({
    method: 'GET',
    path: '/tenants/:tenant_id/jwks.json',
    access: 'none',
    operationId: 'getPublicKeys',
    summary: 'Get the public keys that verify the webhooks of a tenant',
    description:
      'A JSON Web Key Set (RFC 7517, RFC 8037) of the current key and of those before it that still sign. It may be kept for an hour; a receiver that has no key for a signature should get it anew before it refuses the request. The answer to an id that no tenant has is the same as to a tenant without keys.',
    tag: 'Tenants',
    params: TenantParams,
    cacheForSeconds: CACHE_FOR_SECONDS,
    responses: { 200: JwkSet },
    errors: ['signing_keys_not_found', 'internal_error', 'unavailable'],
    handle: async ({ params }) => {
      const keys = await reads.add(params.tenant_id)
      if (keys.length === 0) throw signingKeysNotFound(params.tenant_id)
      return { status: 200, body: jwkSet(keys) }
    },
  })
}

import { createSecretKey, type KeyObject } from 'node:crypto'
import { readTenantAge, type Store, type TenantAge } from '@postrider/store'
import { type Authenticator, bearerToken } from '../http/auth.ts'
import { readToken, signToken, type TokenClaims } from '../http/jwt.ts'
import type { Caller } from '../http/route.ts'

const LIFETIME_MS = 24 * 60 * 60 * 1000

/** How far ahead of Postgres the clock of who signs may be: the platform may sign tokens, too. */
const CLOCK_TOLERANCE_MS = 60_000

/**
 * Issues the tokens of tenants and knows tenants by them. Postgres' clock decides about both, so that
 * all processes agree; and Postgres is asked for every token, so that one ends with its tenant.
 */
export class TenantTokens implements Authenticator {
  readonly #store: Store
  readonly #key: KeyObject

  /** @param secret - the token's key; who has it can be any tenant */
  constructor(store: Store, secret: string) {
    this.#store = store
    this.#key = createSecretKey(secret, 'utf8')
  }

  /** A token for 24 hours; null when there is no such tenant. */
  async issue(tenantId: string): Promise<string | null> {
    const age = await readTenantAge(this.#store, tenantId)
    return age === null ? null : signToken(claimsAt(age.nowMs, tenantId), this.#key)
  }

  async authenticate(authorization: string | undefined): Promise<Caller | null> {
    const token = bearerToken(authorization)
    const claims = token === null ? null : readToken(token, this.#key)
    if (claims === null) return null
    const age = await readTenantAge(this.#store, claims.tenantId)
    if (age === null || !isInForce(claims, age)) return null
    return { kind: 'tenant', tenantId: claims.tenantId }
  }
}

/**
 * Times are fractions of seconds, as RFC 7519 allows: whole ones could not tell a tenant from one that
 * was made again within the second. A fraction of zero would be taken for a second that was cut.
 */
function claimsAt(nowMs: number, tenantId: string): TokenClaims {
  const issuedAtMs = nowMs % 1000 === 0 ? nowMs + 1 : nowMs
  return { tenantId, issuedAt: issuedAtMs / 1000, expiresAt: (issuedAtMs + LIFETIME_MS) / 1000 }
}

/** Whether claims hold for a tenant of this age: issued since it was made, and not too long ago. */
export function isInForce(claims: TokenClaims, { madeAtMs, nowMs }: TenantAge): boolean {
  const issuedAtMs = Math.round(claims.issuedAt * 1000)
  const expiresAtMs = Math.round(claims.expiresAt * 1000)
  // Signed by somebody whose clock says seconds: it may have been issued at any time of that second.
  const lastIssuedAtMs = Number.isInteger(claims.issuedAt) ? issuedAtMs + 999 : issuedAtMs
  return (
    lastIssuedAtMs >= madeAtMs &&
    issuedAtMs <= nowMs + CLOCK_TOLERANCE_MS &&
    expiresAtMs > nowMs &&
    expiresAtMs - issuedAtMs <= LIFETIME_MS
  )
}

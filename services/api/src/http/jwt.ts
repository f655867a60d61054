import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/** What a tenant's token says, once its signature is known to be ours. Times are Unix seconds. */
export interface TokenClaims {
  readonly tenantId: string
  readonly issuedAt: number
  readonly expiresAt: number
}

/**
 * Tokens of tenants: JSON Web Tokens (RFC 7519) signed with HMAC-SHA256 and nothing else. The
 * algorithm is not negotiated: it is ours, and a token that names another one is no token.
 */
export function signToken({ tenantId, issuedAt, expiresAt }: TokenClaims, key: KeyObject): string {
  const claims = { iss: ISSUER, sub: tenantId, iat: issuedAt, exp: expiresAt }
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${macOf(signed, key).toString('base64url')}`
}

/**
 * The claims of a token that was signed with this key and names them all; null for every other text.
 * Whether they hold at this moment is for the caller to say.
 */
export function readToken(token: string, key: KeyObject): TokenClaims | null {
  const parts = TOKEN.exec(token)
  if (parts === null) return null
  const [, header = '', payload = '', mac = ''] = parts
  // Before anything is parsed, so that what strangers write is never looked into.
  if (!timingSafeEqual(Buffer.from(mac, 'base64url'), macOf(`${header}.${payload}`, key)))
    return null
  return isOurHeader(decode(header)) ? claimsOf(decode(payload)) : null
}

const ISSUER = 'postrider'

/** 43 characters are the 32 bytes of the signature; the last one carries four bits only. */
const TOKEN = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/

const TENANT_ID = /^[A-Za-z0-9._-]{1,128}$/

function macOf(signed: string, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(signed).digest()
}

/** `crit` names what must be understood, and nothing beyond the standard is. */
function isOurHeader(header: Json | null): boolean {
  return header?.['alg'] === 'HS256' && header['crit'] === undefined
}

function claimsOf(payload: Json | null): TokenClaims | null {
  if (payload === null) return null
  const { iss, sub, iat, exp } = payload
  if (iss !== ISSUER || typeof sub !== 'string' || !TENANT_ID.test(sub)) return null
  if (typeof iat !== 'number' || typeof exp !== 'number') return null
  return { tenantId: sub, issuedAt: iat, expiresAt: exp }
}

type Json = Readonly<Record<string, unknown>>

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(part: string): Json | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' ? (value as Json | null) : null
  } catch {
    // Signed with our key and yet no JSON: not one of our tokens; the caller is told so.
    return null
  }
}

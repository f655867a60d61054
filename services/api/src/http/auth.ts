import { hash, timingSafeEqual } from 'node:crypto'
import { ApiError } from './errors.ts'
import type { Access, Caller } from './route.ts'

/** Tells who calls from the Authorization header; null when nobody that we know. */
export interface Authenticator {
  authenticate(authorization: string | undefined): Caller | null | Promise<Caller | null>
}

/** Knows the admin by the API keys. */
export class ApiKeyAuthenticator implements Authenticator {
  readonly #hashes: readonly Buffer[]

  constructor(apiKeys: readonly string[]) {
    this.#hashes = apiKeys.map(sha256)
  }

  authenticate(authorization: string | undefined): Caller | null {
    const token = bearerToken(authorization)
    if (token === null) return null
    // Hashes have one length, and every key is compared: the time tells neither how much of a key was
    // right nor which one.
    const given = sha256(token)
    let found = false
    for (const known of this.#hashes) found = timingSafeEqual(known, given) || found
    return found ? ADMIN : null
  }
}

const ADMIN: Caller = { kind: 'admin' }
const ANONYMOUS: Caller = { kind: 'anonymous' }

/**
 * Lets a caller through to a route or refuses it.
 *
 * @throws {ApiError} unauthorized, when it is nobody that we know; forbidden, when it is somebody else
 */
export async function authorize(
  authenticator: Authenticator,
  authorization: string | undefined,
  route: { readonly access: Access },
  params: Readonly<Record<string, unknown>>,
): Promise<Caller> {
  if (route.access === 'none') return ANONYMOUS
  const caller = await authenticator.authenticate(authorization)
  if (caller === null) {
    throw new ApiError('unauthorized', 'a valid "Authorization: Bearer <key>" header is required', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
  if (caller.kind === 'tenant') refuseForeigner(caller.tenantId, route.access, params)
  return caller
}

function refuseForeigner(
  tenantId: string,
  access: Access,
  params: Readonly<Record<string, unknown>>,
): void {
  if (access === 'admin') throw new ApiError('forbidden', 'this is for the administrator only')
  const wanted = params['tenant_id']
  if (wanted !== undefined && wanted !== tenantId) {
    throw new ApiError('forbidden', 'the token is for another tenant')
  }
}

function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined) return null
  return /^bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? null
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

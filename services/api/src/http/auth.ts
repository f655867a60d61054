import { hash, timingSafeEqual } from 'node:crypto'
import { ApiError } from './errors.ts'
import type { Access, Caller } from './route.ts'
import { refuseForeigner } from './tenant-scope.ts'

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

/** Asks one after the other until one knows the caller. */
export function firstOf(...authenticators: readonly Authenticator[]): Authenticator {
  return {
    authenticate: async (authorization) => {
      for (const authenticator of authenticators) {
        const caller = await authenticator.authenticate(authorization)
        if (caller !== null) return caller
      }
      return null
    },
  }
}

/** What a request says about who may make it. */
export interface Claimed {
  readonly authorization: string | undefined
  readonly params: Readonly<Record<string, unknown>>
  /** Not yet validated. */
  readonly query: Readonly<Record<string, unknown>>
}

/**
 * Lets a caller through to a route or refuses it.
 *
 * @throws {ApiError} unauthorized, when it is nobody that we know; forbidden, when it is somebody else
 */
export async function authorize(
  authenticator: Authenticator,
  route: { readonly access: Access },
  { authorization, params, query }: Claimed,
): Promise<Caller> {
  if (route.access === 'none') return ANONYMOUS
  const caller = await authenticator.authenticate(authorization)
  if (caller === null) {
    throw new ApiError('unauthorized', 'a valid "Authorization: Bearer <key>" header is required', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
  if (caller.kind === 'tenant' && route.access === 'admin') {
    throw new ApiError('forbidden', 'this is for the administrator only')
  }
  for (const { tenant_id: wanted } of [params, query]) {
    if (wanted !== undefined) refuseForeigner(caller, Array.isArray(wanted) ? wanted : [wanted])
  }
  return caller
}

/** The token of an Authorization header; null when there is none. */
export function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined) return null
  return /^bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? null
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

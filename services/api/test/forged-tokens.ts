import { createHmac } from 'node:crypto'

export interface Forged {
  readonly header?: object
  /** Added to claims that are right. */
  readonly claims?: object
  readonly secret: string
}

/** A token of a tenant as anybody could write it: right, but for what is given. */
export function forgeToken(tenantId: string, { header, claims, secret }: Forged): string {
  const now = Math.floor(Date.now() / 1000)
  const payload = { iss: 'postrider', sub: tenantId, iat: now, exp: now + 3600, ...claims }
  const signed = [header ?? { alg: 'HS256', typ: 'JWT' }, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

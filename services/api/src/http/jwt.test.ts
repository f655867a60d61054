import { createHmac, createSecretKey } from 'node:crypto'
import * as fc from 'fast-check'
import { readToken, signToken } from './jwt.ts'

const SECRET = 'a secret that is long enough for a test'
const key = createSecretKey(SECRET, 'utf8')
const CLAIMS = { tenantId: 'acme', issuedAt: 1_763_726_400.123, expiresAt: 1_763_812_800.123 }
const OURS = { iss: 'postrider', sub: 'acme', iat: CLAIMS.issuedAt, exp: CLAIMS.expiresAt }

const STANDARD = { alg: 'HS256', typ: 'JWT' }

interface Forged {
  readonly header?: unknown
  readonly secret?: string
  readonly hash?: string
}

/** A token as anybody could write it, with a signature that is right unless told otherwise. */
function forge(
  payload: unknown,
  { header = STANDARD, secret = SECRET, hash = 'sha256' }: Forged = {},
): string {
  const encoded = [header, payload].map((part) =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url'),
  )
  const signed = encoded.join('.')
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`
}

describe('a token', () => {
  it('is read as it was signed', () => {
    expect(readToken(signToken(CLAIMS, key), key)).toEqual(CLAIMS)
  })

  it('is what any library for JSON Web Tokens would write', () => {
    expect(signToken(CLAIMS, key)).toBe(forge(OURS))
    expect(readToken(forge(OURS, { header: { typ: 'JWT', alg: 'HS256' } }), key)).toEqual(CLAIMS)
  })

  it('may say more than we ask for', () => {
    expect(readToken(forge({ ...OURS, jti: 'x', aud: ['y'] }), key)).toEqual(CLAIMS)
  })

  it.each([
    ['no algorithm', { header: { alg: 'none' } }],
    ['no algorithm, in another case', { header: { alg: 'None' } }],
    ['an algorithm in another case', { header: { alg: 'hs256' } }],
    ['another algorithm', { header: { alg: 'RS256' } }],
    ['no header', { header: {} }],
    ['a header that is null', { header: null }],
    ['a header that is no JSON', { header: 'HS256' }],
    ['what must be understood', { header: { alg: 'HS256', crit: ['b64'], b64: false } }],
    ['another secret', { secret: `${SECRET}!` }],
    ['another hash, named as such', { header: { alg: 'HS512' }, hash: 'sha512' }],
    ['another hash', { hash: 'sha512' }],
  ])('with %s is none', (_, how) => {
    expect(readToken(forge(OURS, how), key)).toBeNull()
  })

  it.each([
    ['no issuer', { iss: undefined }],
    ['another issuer', { iss: 'postman' }],
    ['several issuers', { iss: ['postrider'] }],
    ['no tenant', { sub: undefined }],
    ['a tenant that is no text', { sub: 5 }],
    ['a tenant that none can be', { sub: 'a\u0000' }],
    ['no time of issue', { iat: undefined }],
    ['a time of issue that is text', { iat: '1763726400' }],
    ['no end', { exp: undefined }],
    ['an end that is null', { exp: null }],
    ['an end that no number can say', { exp: Number.POSITIVE_INFINITY }],
  ])('with %s is none', (_, claims) => {
    expect(readToken(forge({ ...OURS, ...claims }), key)).toBeNull()
  })

  it.each([
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"acme"'],
    ['no JSON', '{'],
  ])('whose claims are %s is none', (_, payload) => {
    expect(readToken(forge(payload), key)).toBeNull()
  })

  const token = signToken(CLAIMS, key)
  const [header = '', payload = '', mac = ''] = token.split('.')

  it.each([
    ['nothing', ''],
    ['two parts', `${header}.${payload}`],
    ['no signature', `${header}.${payload}.`],
    ['four parts', `${token}.${mac}`],
    ['a signature that is cut', token.slice(0, -1)],
    ['a padded signature', `${token}=`],
    ['a signature of other spelling', `${header}.${payload}.${mac.slice(0, -1)}${respelt(mac)}`],
    ['base64 that is not for URLs', `${header}.${payload}+.${mac}`],
  ])('that is %s is none', (_, text) => {
    expect(readToken(text, key)).toBeNull()
  })

  it('with any other character is none', () => {
    fc.assert(
      fc.property(fc.nat({ max: token.length - 1 }), fc.string({ maxLength: 1 }), (at, other) => {
        fc.pre(token[at] !== other)
        expect(readToken(token.slice(0, at) + other + token.slice(at + 1), key)).toBeNull()
      }),
    )
  })
})

/** Another last character, in which only bits differ that carry nothing. */
function respelt(mac: string): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return digits[digits.indexOf(mac.at(-1) ?? '') + 1] ?? ''
}

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createStandardVerifier, type PublicKey, type WebhookRequest } from '@postrider/verify'
import { allByteChanges, allTextChanges } from './bit-changes.ts'
import { codeOf, outcomeOf, outcomesOf } from './outcome.ts'

/** Of the group that Ed25519 signatures live in (RFC 8032, section 5.1). */
const ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
const BODY = '{"hello":"world"}'
const current = generateKeyPairSync('ed25519')
const previous = generateKeyPairSync('ed25519')

function jwk(key: KeyObject, changes: Readonly<Record<string, string>> = {}) {
  const { x = '' } = key.export({ format: 'jwk' })
  const fixed = { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' }
  return { ...fixed, x, kid: x.slice(0, 8), ...changes }
}

function whpk(key: KeyObject): string {
  return `whpk_${Buffer.from(jwk(key).x, 'base64url').toString('base64')}`
}

function signedRequest(...keys: readonly KeyObject[]) {
  const signatures = keys.map(
    (key) => `v1a,${sign(null, Buffer.from(`evt_1.1.${BODY}`), key).toString('base64')}`,
  )
  return {
    headers: {
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1',
      'webhook-signature': signatures.join(' '),
    },
    body: BODY,
  } satisfies WebhookRequest
}

function verifierWith(...publicKeys: readonly PublicKey[]) {
  return createStandardVerifier({ publicKeys, toleranceSeconds: null })
}

describe('a verifier with public keys', () => {
  it.each<[string, PublicKey]>([
    ['whpk_ and base64', whpk(current.publicKey)],
    ['a JSON Web Key', jwk(current.publicKey)],
    [
      'a JSON Web Key with the newer name of the algorithm',
      jwk(current.publicKey, { alg: 'Ed25519' }),
    ],
    ['a set of keys', { keys: [jwk(previous.publicKey), jwk(current.publicKey)] }],
    [
      'a set with keys of kinds it does not know',
      { keys: [{ kty: 'RSA' }, jwk(current.publicKey, { use: 'enc' }), jwk(current.publicKey)] },
    ],
  ])('takes them as %s', async (_, publicKey) => {
    const request = signedRequest(current.privateKey)
    expect(await outcomeOf(verifierWith(publicKey), request)).toBe('accepted')
  })

  it('refuses what another key signed', async () => {
    const request = signedRequest(current.privateKey)
    expect(await outcomeOf(verifierWith(whpk(previous.publicKey)), request)).toBe('no_match')
  })

  it('accepts the current and the previous key during a rotation', async () => {
    const request = signedRequest(current.privateKey, previous.privateKey)
    const outcomes = [current, previous].map(({ publicKey }) =>
      outcomeOf(verifierWith(whpk(publicKey)), request),
    )
    expect(await Promise.all(outcomes)).toEqual(['accepted', 'accepted'])
  })

  it('accepts either kind of signature when it has a secret, too', async () => {
    const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
    const publicKeys = whpk(current.publicKey)
    const both = createStandardVerifier({ secrets: secret, publicKeys, toleranceSeconds: null })
    const onlySecret = createStandardVerifier({ secrets: secret, toleranceSeconds: null })
    const request = signedRequest(current.privateKey)
    expect(await outcomeOf(both, request)).toBe('accepted')
    expect(await outcomeOf(onlySecret, request)).toBe('no_match')
  })

  it('refuses every change of one bit', async () => {
    const { headers } = signedRequest(current.privateKey)
    const changes = Object.entries(headers).flatMap(([name, value]) =>
      allTextChanges(value).map((changed) => ({
        headers: { ...headers, [name]: changed },
        body: BODY,
      })),
    )
    const bodies = allByteChanges(Buffer.from(BODY)).map((body) => ({ headers, body }))
    const verifier = verifierWith(whpk(current.publicKey))
    const outcomes = await outcomesOf(verifier, [...changes, ...bodies])
    expect(outcomes).not.toContain('accepted')
    expect(outcomes).toContain('no_match')
  })

  it('refuses the other spelling of a signature, whose second half is larger by the order', async () => {
    const { headers, body } = signedRequest(current.privateKey)
    const bytes = Buffer.from(headers['webhook-signature'].slice('v1a,'.length), 'base64')
    const scalar = BigInt(`0x${Buffer.from(bytes.subarray(32).toReversed()).toString('hex')}`)
    const larger = Buffer.from((scalar + ORDER).toString(16).padStart(64, '0'), 'hex').toReversed()
    const signature = Buffer.concat([bytes.subarray(0, 32), larger]).toString('base64')
    const request = { headers: { ...headers, 'webhook-signature': `v1a,${signature}` }, body }
    expect(await outcomeOf(verifierWith(whpk(current.publicKey)), request)).toBe('no_match')
  })

  it.each<[string, PublicKey]>([
    ['another prefix', whpk(current.publicKey).replace('whpk_', 'whsk_')],
    ['too few bytes', 'whpk_AAAA'],
    ['base64 without padding', whpk(current.publicKey).slice(0, -1)],
    ['an empty set', { keys: [] }],
    ['a set without a key of its kind', { keys: [{ kty: 'RSA' }] }],
    ['a set of nothing', JSON.parse('{"keys":[null]}') as PublicKey],
    ['an answer that is null', JSON.parse('null') as PublicKey],
    ['a key of another curve', jwk(current.publicKey, { crv: 'X25519' })],
    ['a key for encryption', jwk(current.publicKey, { use: 'enc' })],
    ['a key of another algorithm', jwk(current.publicKey, { alg: 'ES256' })],
    ['a key without its bytes', { kty: 'OKP', crv: 'Ed25519' }],
    ['a key of one byte too many', jwk(current.publicKey, { x: 'A'.repeat(44) })],
  ])('is not made with %s', (_, publicKey) => {
    expect(codeOf(() => verifierWith(publicKey))).toBe('invalid_public_key')
  })
})

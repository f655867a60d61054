import { createStandardVerifier, type WebhookRequest } from '@postrider/verify'
import * as fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { allByteChanges, allTextChanges, changeByteBit, changeTextBit } from './bit-changes.ts'
import { codeOf, outcomeOf, outcomesOf } from './outcome.ts'
import { STANDARD_VECTORS, type StandardVector } from './vectors.ts'

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
const OTHER = 'whsec_b2xkZXItc2VjcmV0LW9sZGVyLXNlY3JldC1vbGRlcg=='
const BODY = '{"hello":"world"}'
const TIME_S = 1_700_000_000
const nowMs = (): number => TIME_S * 1000 + 999

interface Message {
  readonly id?: string
  readonly timestamp?: number
  readonly body?: string
  readonly secrets?: readonly string[]
}

/** A request as the official library signs it. */
function signedRequest({
  id = 'evt_1',
  timestamp = TIME_S,
  body = BODY,
  secrets = [SECRET],
}: Message = {}) {
  const time = new Date(timestamp * 1000)
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, time, body))
  return {
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures.join(' '),
    },
    body,
  } satisfies WebhookRequest
}

function vectorRequest({ id, timestamp, header, bodyBase64 }: StandardVector) {
  return {
    headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': header },
    body: new Uint8Array(Buffer.from(bodyBase64, 'base64')),
  } satisfies WebhookRequest
}

describe('a verifier of standard mode', () => {
  const verifier = createStandardVerifier({ secrets: SECRET, nowMs })

  it('tells what is signed, and apart from it what is not', async () => {
    const { headers, body } = signedRequest()
    const request = { headers: { ...headers, 'webhook-topic': 'user.created' }, body }
    await expect(verifier.verify(request)).resolves.toEqual({
      id: 'evt_1',
      timestamp: TIME_S,
      unsigned: { topic: 'user.created' },
    })
  })

  it.each(STANDARD_VECTORS)('accepts what openssl signed: $id at $timestamp', async (vector) => {
    const outcomes = vector.secrets.map((secrets) =>
      outcomeOf(createStandardVerifier({ secrets, toleranceSeconds: null }), vectorRequest(vector)),
    )
    expect(await Promise.all(outcomes)).toEqual(vector.secrets.map(() => 'accepted'))
  })

  it('and the official library accept the same requests', async () => {
    const anyMessage = fc.record({
      id: fc.stringMatching(/^[A-Za-z0-9._:-]{1,128}$/),
      body: fc.object().map((value) => JSON.stringify(value)),
    })
    const timestamp = Math.floor(Date.now() / 1000)
    const today = createStandardVerifier({ secrets: SECRET })
    await fc.assert(
      fc.asyncProperty(anyMessage, async (message) => {
        const { headers, body } = signedRequest({ ...message, timestamp })
        expect(() => new Webhook(SECRET).verify(body, headers)).not.toThrow()
        expect(await outcomeOf(today, { headers, body })).toBe('accepted')
      }),
    )
  })

  it('and the official library accept the same vectors', async () => {
    // The library has no other clock than today's, so what openssl signed in 2023 is signed again.
    for (const { id, timestamp, secrets, bodyBase64, header } of STANDARD_VECTORS) {
      const body = Buffer.from(bodyBase64, 'base64').toString()
      const again = signedRequest({ id, timestamp: Number(timestamp), body, secrets })
      expect(again.headers['webhook-signature']).toBe(header)
    }
  })

  it.each(STANDARD_VECTORS.filter(({ secrets }) => secrets.length === 1))(
    'refuses every change of one bit: $id at $timestamp',
    async (vector) => {
      const strict = createStandardVerifier({ secrets: vector.secrets, toleranceSeconds: null })
      const { headers, body } = vectorRequest(vector)
      const changes = Object.entries(headers).flatMap(([name, value]) =>
        allTextChanges(value).map((changed) => ({
          headers: { ...headers, [name]: changed },
          body,
        })),
      )
      const bodies = allByteChanges(body).map((changed) => ({ headers, body: changed }))
      const outcomes = await outcomesOf(strict, [...changes, ...bodies])
      expect(outcomes).not.toContain('accepted')
      expect(outcomes).toContain('no_match')
    },
  )

  it('refuses every change of one bit of any request', async () => {
    const anyChange = fc.record({
      id: fc.stringMatching(/^[A-Za-z0-9._:-]{1,128}$/),
      timestamp: fc.nat({ max: 253_402_300_799 }),
      body: fc.object().map((value) => JSON.stringify(value)),
      part: fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature', 'body'),
      bit: fc.nat(),
    })
    const ageless = createStandardVerifier({ secrets: SECRET, toleranceSeconds: null })
    await fc.assert(
      fc.asyncProperty(anyChange, async ({ part, bit, ...message }) => {
        const { headers, body } = signedRequest(message)
        const names = Object.keys(headers) as (keyof typeof headers)[]
        const changed: WebhookRequest = {
          headers: Object.fromEntries(
            names.map((name) => [
              name,
              name === part ? changeTextBit(headers[name], bit) : headers[name],
            ]),
          ),
          body: part === 'body' ? changeByteBit(Buffer.from(body), bit) : body,
        }
        expect(await outcomeOf(ageless, { headers, body })).toBe('accepted')
        expect(await outcomeOf(ageless, changed)).not.toBe('accepted')
      }),
      { numRuns: 1000 },
    )
  })

  it('accepts the signed bytes cut in one way only', async () => {
    const ageless = createStandardVerifier({ secrets: SECRET, toleranceSeconds: null })
    const digits = fc.stringMatching(/^[.0-9a]{1,12}$/)
    await fc.assert(
      fc.asyncProperty(digits, digits, async (id, more) => {
        const { headers } = signedRequest({
          id: `${id}.1.${more}`,
          timestamp: 2,
          body: '{"a":1.2}',
        })
        const signed = `${id}.1.${more}.2.{"a":1.2}`
        const cuts = [...signed.matchAll(/\./g)].flatMap(({ index: end }) =>
          [...signed.slice(0, end).matchAll(/\./g)].map(({ index: start }) => ({
            headers: {
              ...headers,
              'webhook-id': signed.slice(0, start),
              'webhook-timestamp': signed.slice(start + 1, end),
            },
            body: signed.slice(end + 1),
          })),
        )
        const outcomes = await Promise.all(cuts.map((cut) => outcomeOf(ageless, cut)))
        expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1)
      }),
    )
  })

  it('refuses a body that could be the end of an id and a timestamp', async () => {
    const bodies = ['1700000000.5', 'true', '-1', '.', '2.{}']
    const outcomes = bodies.map((body) => outcomeOf(verifier, signedRequest({ body })))
    expect(await Promise.all(outcomes)).toEqual(bodies.map(() => 'ambiguous_body'))
  })

  it('takes bytes for a secret that has not the form of this mode', async () => {
    const secret = new TextEncoder().encode('first-delivery')
    const signature = new Webhook('first-delivery', { format: 'raw' }).sign(
      'evt_1',
      new Date(TIME_S * 1000),
      BODY,
    )
    const { headers, body } = signedRequest()
    const request = { headers: { ...headers, 'webhook-signature': signature }, body }
    const raw = createStandardVerifier({ secrets: [SECRET, secret], nowMs })
    expect(await outcomeOf(raw, request)).toBe('accepted')
  })

  it.each(['a b', 'a/b', 'é', 'a\n', 'a'.repeat(129)])('refuses the id %j', async (id) => {
    expect(await outcomeOf(verifier, signedRequest({ id }))).toBe('malformed_id')
  })

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('needs %s', async (name) => {
    const { headers, body } = signedRequest()
    const without = { ...headers, [name]: undefined }
    expect(await outcomeOf(verifier, { headers: without, body })).toBe('missing_header')
  })

  it.each([
    [300, 'accepted'],
    [301, 'timestamp_too_old'],
    [-300, 'accepted'],
    [-301, 'timestamp_too_new'],
  ])('given a request signed %i s ago: %s', async (ageSeconds, outcome) => {
    const request = signedRequest({ timestamp: TIME_S - ageSeconds })
    expect(await outcomeOf(verifier, request)).toBe(outcome)
  })

  it('calls a request old only if it is signed', async () => {
    const { headers } = signedRequest({ timestamp: 1 })
    expect(await outcomeOf(verifier, { headers, body: '{}' })).toBe('no_match')
  })

  describe('while one secret replaces another', () => {
    const { headers, body } = signedRequest({ secrets: [SECRET, OTHER] })
    const [current = '', previous = ''] = headers['webhook-signature'].split(' ')
    const withSignature = (signature: string): WebhookRequest => ({
      headers: { ...headers, 'webhook-signature': signature },
      body,
    })

    it('accepts what either of them signed', async () => {
      const other = createStandardVerifier({ secrets: OTHER, nowMs })
      expect(await outcomeOf(verifier, { headers, body })).toBe('accepted')
      expect(await outcomeOf(other, { headers, body })).toBe('accepted')
    })

    it('refuses every change of one bit outside of the signature it does not know', async () => {
      const outcomes = await outcomesOf(
        verifier,
        allTextChanges(`${current} `).map((changed) => withSignature(changed + previous)),
      )
      expect([...outcomes].toSorted()).toEqual(['malformed_signature', 'no_match'])
    })

    it('cannot tell what a signature should be that it has no secret for', async () => {
      const unknown = [`v1,${'A'.repeat(43)}=`, `v1a,${'A'.repeat(86)}==`, 'v2,whatever']
      const outcomes = unknown.map((each) =>
        outcomeOf(verifier, withSignature(`${current} ${each}`)),
      )
      expect(await Promise.all(outcomes)).toEqual(unknown.map(() => 'accepted'))
    })

    it('passes over versions it does not know', async () => {
      const unknown = withSignature(current.replace('v1,', 'v2,'))
      expect(await outcomeOf(verifier, unknown)).toBe('no_match')
    })

    it.each([
      ['two spaces', `${current}  ${previous}`],
      ['a comma in between', `${current}, ${previous}`],
      ['no version', current.slice(3)],
      ['no padding', current.slice(0, -1)],
      ['bits that no byte needs', current.replace(/.=$/, 'F=')],
      ['base64url', `v1,${'-'.repeat(43)}=`],
      ['a signature of another length', 'v1,AAAA'],
      ['more signatures than there is reason for', Array(17).fill(current).join(' ')],
    ])('refuses %s', async (_, signature) => {
      expect(await outcomeOf(verifier, withSignature(signature))).toBe('malformed_signature')
    })
  })

  it.each([
    ['no key', {}, 'invalid_secret'],
    ['a secret without whsec_', { secrets: SECRET.slice(6) }, 'invalid_secret'],
    ['an empty secret', { secrets: 'whsec_' }, 'invalid_secret'],
    ['no bytes', { secrets: new Uint8Array() }, 'invalid_secret'],
    ['a secret that is not base64', { secrets: 'whsec_!' }, 'invalid_secret'],
    ['a secret with a line end', { secrets: `${SECRET}\n` }, 'invalid_secret'],
    ['a prefix that no header can have', { secrets: SECRET, headerPrefix: 'a:' }, 'invalid_option'],
  ])('is not made with %s', (_, options, code) => {
    expect(codeOf(() => createStandardVerifier(options))).toBe(code)
  })
})

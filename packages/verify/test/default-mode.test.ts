import { createHmac } from 'node:crypto'
import { createVerifier, type WebhookRequest } from '@postrider/verify'
import * as fc from 'fast-check'
import {
  allByteChanges,
  allTextChanges,
  allUnitChanges,
  changeByteBit,
  changeTextBit,
} from './bit-changes.ts'
import { codeOf, outcomeOf, outcomesOf } from './outcome.ts'
import { DEFAULT_VECTORS, type DefaultVector } from './vectors.ts'

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
const BODY = '{"hello":"world"}'
const TIME = '1700000000'
const later = (): number => (Number(TIME) + 301) * 1000

interface Signed {
  readonly time?: string
  readonly body?: string | Uint8Array
}

function signature(secret: string, { time = TIME, body = BODY }: Signed = {}): string {
  return createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')
}

function request(changes: Readonly<Record<string, string | string[] | undefined>> = {}) {
  return {
    headers: {
      'x-service-id': 'evt_1',
      'x-service-timestamp': TIME,
      'x-service-topic': 'user.created',
      'x-service-signature': `t=${TIME},v0=${signature(SECRET)}`,
      ...changes,
    },
    body: BODY,
  } satisfies WebhookRequest
}

function vectorRequest({ timestamp, header, bodyBase64 }: DefaultVector) {
  return {
    headers: { 'x-service-timestamp': timestamp, 'x-service-signature': header },
    body: new Uint8Array(Buffer.from(bodyBase64, 'base64')),
  } satisfies WebhookRequest
}

interface Parts {
  readonly header: string
  readonly time: string
  readonly body: Uint8Array
}

function fromParts({ header, time, body }: Parts): WebhookRequest {
  return { headers: { 'x-service-signature': header, 'x-service-timestamp': time }, body }
}

/** One bit of one part is changed. */
const CHANGES: readonly ((parts: Parts, bit: number) => Parts)[] = [
  (parts, bit) => ({ ...parts, header: changeTextBit(parts.header, bit) }),
  (parts, bit) => ({ ...parts, time: changeTextBit(parts.time, bit) }),
  (parts, bit) => ({ ...parts, body: changeByteBit(parts.body, bit) }),
]

describe('a verifier of default mode', () => {
  const verifier = createVerifier({ secrets: SECRET })

  it('tells what is signed, and apart from it what is not', async () => {
    await expect(verifier.verify(request())).resolves.toEqual({
      timestamp: 1_700_000_000,
      unsigned: { id: 'evt_1', topic: 'user.created' },
    })
  })

  it('does without the headers that an operator may switch off', async () => {
    const off = { 'x-service-id': undefined, 'x-service-timestamp': undefined }
    await expect(verifier.verify(request({ ...off, 'x-service-topic': '' }))).resolves.toEqual({
      timestamp: 1_700_000_000,
      unsigned: { id: null, topic: null },
    })
  })

  describe.each(DEFAULT_VECTORS)('given $algorithm in $encoding by openssl', (vector) => {
    const { algorithm, encoding } = vector

    it.each(vector.secrets)('accepts it with the secret %s', async (secrets) => {
      const verified = createVerifier({ secrets, algorithm, encoding })
      await expect(verified.verify(vectorRequest(vector))).resolves.toMatchObject({
        timestamp: Number(vector.timestamp),
      })
    })

    it('refuses it with another secret', async () => {
      const other = createVerifier({ secrets: `${SECRET} `, algorithm, encoding })
      expect(await outcomeOf(other, vectorRequest(vector))).toBe('no_match')
    })
  })

  it.each(DEFAULT_VECTORS.filter(({ secrets }) => secrets.length === 1))(
    'refuses every change of one bit: $algorithm in $encoding',
    async (vector) => {
      const { algorithm, encoding, secrets, header, timestamp } = vector
      const strict = createVerifier({ secrets, algorithm, encoding })
      const { headers, body } = vectorRequest(vector)
      const outcomes = await outcomesOf(strict, [
        ...allTextChanges(header).map((changed) => ({
          headers: { ...headers, 'x-service-signature': changed },
          body,
        })),
        ...allTextChanges(timestamp).map((changed) => ({
          headers: { ...headers, 'x-service-timestamp': changed },
          body,
        })),
        ...allByteChanges(body).map((changed) => ({ headers, body: changed })),
      ])
      expect([...outcomes].toSorted()).toEqual([
        'malformed_signature',
        'malformed_timestamp',
        'no_match',
        'timestamp_mismatch',
      ])
    },
  )

  it('refuses every change of one bit of any request', async () => {
    const anyChange = fc.record({
      secret: fc.string({ minLength: 1, unit: 'grapheme' }),
      timestamp: fc.nat({ max: 253_402_300_799 }),
      body: fc.uint8Array({ minLength: 1, maxLength: 200 }),
      change: fc.constantFrom(...CHANGES),
      bit: fc.nat(),
    })
    await fc.assert(
      fc.asyncProperty(anyChange, async ({ secret, timestamp, change, bit, ...message }) => {
        const time = String(timestamp)
        const header = `t=${time},v0=${signature(secret, { time, ...message })}`
        const parts = { header, time, ...message }
        const exact = createVerifier({ secrets: secret })
        expect(await outcomeOf(exact, fromParts(parts))).toBe('accepted')
        expect(await outcomeOf(exact, fromParts(change(parts, bit)))).not.toBe('accepted')
      }),
      { numRuns: 1000 },
    )
  })

  it('refuses every change of one bit of a body that is text', async () => {
    const body = 'naïve \ufffd 😀'
    const { headers } = request({
      'x-service-signature': `t=${TIME},v0=${signature(SECRET, { body })}`,
    })
    const changed = allUnitChanges(body).map((each) => ({ headers, body: each }))
    expect(await outcomeOf(verifier, { headers, body })).toBe('accepted')
    expect([...(await outcomesOf(verifier, changed))].toSorted()).toEqual([
      'body_not_raw',
      'no_match',
    ])
  })

  describe('while one secret replaces another', () => {
    const [current, previous] = [signature(SECRET), signature('previous')]
    const both = { 'x-service-signature': `t=${TIME},v0=${current},${previous}` }

    it('accepts what either of them signed, and knows both if it is told', async () => {
      const known = [SECRET, 'previous', ['new', 'previous']]
      const outcomes = known.map((secrets) => outcomeOf(createVerifier({ secrets }), request(both)))
      expect(await Promise.all(outcomes)).toEqual(known.map(() => 'accepted'))
    })

    it('refuses every change of one bit outside of the signature it does not know', async () => {
      const checked = `t=${TIME},v0=${current},`
      const outcomes = await outcomesOf(
        verifier,
        allTextChanges(checked).map((changed) =>
          request({ 'x-service-signature': changed + previous }),
        ),
      )
      expect([...outcomes].toSorted()).toEqual([
        'malformed_signature',
        'malformed_timestamp',
        'no_match',
        'timestamp_mismatch',
      ])
    })

    it('cannot tell what a signature should be that it has no secret for', async () => {
      const changed = `t=${TIME},v0=${current},${'0'.repeat(64)}`
      expect(await outcomeOf(verifier, request({ 'x-service-signature': changed }))).toBe(
        'accepted',
      )
    })
  })

  describe('has one spelling for everything', () => {
    const good = signature(SECRET)

    it.each([
      ['upper-case digits', `t=${TIME},v0=${good.toUpperCase()}`],
      ['a space after the comma', `t=${TIME}, v0=${good}`],
      ['a space at the end', `t=${TIME},v0=${good} `],
      ['a line end', `t=${TIME},v0=${good}\n`],
      ['an empty signature', `t=${TIME},v0=${good},`],
      ['a longer signature', `t=${TIME},v0=${good}00`],
      ['a shorter one', `t=${TIME},v0=${good.slice(2)}`],
      ['another order', `v0=${good},t=${TIME}`],
      ['another version', `t=${TIME},v1=${good}`],
      ['a second header', `t=${TIME},v0=${good}, t=${TIME},v0=${good}`],
      ['more signatures than there is reason for', `t=${TIME},v0=${Array(17).fill(good).join()}`],
    ])('and refuses %s', async (_, header) => {
      const outcome = await outcomeOf(verifier, request({ 'x-service-signature': header }))
      expect(outcome).toBe('malformed_signature')
    })

    it.each(['+1', '01', '1.0', '1e3', ' 1', '', '-1', '١', '1234567890123456'])(
      'and refuses the timestamp %j',
      async (time) => {
        const header = `t=${time},v0=${signature(SECRET, { time })}`
        const outcome = await outcomeOf(
          verifier,
          request({ 'x-service-signature': header, 'x-service-timestamp': undefined }),
        )
        expect(outcome).toBe('malformed_timestamp')
      },
    )
  })

  it('ignores the age of a request unless it is told otherwise', async () => {
    const ageless = createVerifier({ secrets: SECRET, nowMs: later })
    const strict = createVerifier({ secrets: SECRET, nowMs: later, toleranceSeconds: 300 })
    expect(await outcomeOf(ageless, request())).toBe('accepted')
    expect(await outcomeOf(strict, request())).toBe('timestamp_too_old')
  })

  it('lets nothing through by a clock that gives no number', async () => {
    const lost = createVerifier({ secrets: SECRET, nowMs: () => NaN, toleranceSeconds: 300 })
    expect(await outcomeOf(lost, request())).toBe('timestamp_too_old')
  })

  it('reads headers with another prefix', async () => {
    const other = createVerifier({ secrets: SECRET, headerPrefix: 'X-Acme-' })
    const { headers, body } = request()
    const renamed = Object.entries(headers).map(([name, value]) => [
      name.replace('service', 'acme'),
      value,
    ])
    expect(await outcomeOf(other, { headers: Object.fromEntries(renamed), body })).toBe('accepted')
    expect(await outcomeOf(other, request())).toBe('missing_header')
  })

  it.each([
    ['no secret', { secrets: [] }, 'invalid_secret'],
    ['an empty secret', { secrets: ['a', ''] }, 'invalid_secret'],
    ['a variable that is not set', { secrets: undefined as unknown as string }, 'invalid_secret'],
    ['an empty prefix', { secrets: 'a', headerPrefix: '' }, 'invalid_option'],
    ['a tolerance below zero', { secrets: 'a', toleranceSeconds: -1 }, 'invalid_option'],
    ['a tolerance that is no number', { secrets: 'a', toleranceSeconds: NaN }, 'invalid_option'],
    ['an unknown algorithm', { secrets: 'a', algorithm: 'md5' as 'hmac-sha1' }, 'invalid_option'],
    ['an inherited name', { secrets: 'a', encoding: 'toString' as 'hex' }, 'invalid_option'],
  ])('is not made with %s', (_, options, code) => {
    expect(codeOf(() => createVerifier(options))).toBe(code)
  })
})

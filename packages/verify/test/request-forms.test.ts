import { createHmac } from 'node:crypto'
import { createVerifier, type WebhookHeaders, type WebhookRequest } from '@postrider/verify'
import { outcomeOf } from './outcome.ts'

const BODY = '{"name":"naïve"}'
const signature = createHmac('sha256', 'secret').update(`1.${BODY}`).digest('hex')
const HEADER = `t=1,v0=${signature}`
const verifier = createVerifier({ secrets: 'secret' })

describe('headers', () => {
  it.each<[string, WebhookHeaders]>([
    ['a Headers object', new Headers({ 'X-Service-Signature': HEADER })],
    ["an object like Node's", { 'x-service-signature': HEADER, 'set-cookie': ['a', 'b'] }],
    ['names in any case', { 'X-SERVICE-Signature': HEADER, other: undefined }],
    ['a list of one value', { 'x-service-signature': [HEADER] }],
  ])('may be %s', async (_, headers) => {
    expect(await outcomeOf(verifier, { headers, body: BODY })).toBe('accepted')
  })

  it.each<[string, WebhookHeaders, string]>([
    ['are absent', {}, 'missing_header'],
    ['are absent from a Headers object', new Headers(), 'missing_header'],
    ['are empty', { 'x-service-signature': '' }, 'missing_header'],
    ['come twice', { 'x-service-signature': [HEADER, HEADER] }, 'duplicate_header'],
    [
      'come twice in different case',
      { 'x-service-signature': HEADER, 'X-Service-Signature': HEADER },
      'duplicate_header',
    ],
    [
      'come twice in a Headers object',
      new Headers([
        ['x-service-signature', HEADER],
        ['x-service-signature', HEADER],
      ]),
      'malformed_signature',
    ],
  ])('that %s are refused', async (_, headers, code) => {
    expect(await outcomeOf(verifier, { headers, body: BODY })).toBe(code)
  })
})

describe('a body', () => {
  const headers = { 'x-service-signature': HEADER }
  const bytes = new TextEncoder().encode(BODY)
  const longer = new TextEncoder().encode(`[${BODY}]`)

  it.each<[string, WebhookRequest['body']]>([
    ['text', BODY],
    ['bytes', bytes],
    ['a Buffer', Buffer.from(BODY)],
    ['bytes within a larger buffer', longer.subarray(1, -1)],
    ['an ArrayBuffer', Uint8Array.from(bytes).buffer],
  ])('may be %s', async (_, body) => {
    expect(await outcomeOf(verifier, { headers, body })).toBe('accepted')
  })

  it.each<[string, unknown]>([
    ['was parsed', JSON.parse(BODY)],
    ['was not read', undefined],
    ['is a list of numbers', [...bytes]],
    ['is text that has no bytes', '\ud800'],
  ])('that %s is refused', async (_, body) => {
    const request = { headers, body } as WebhookRequest
    expect(await outcomeOf(verifier, request)).toBe('body_not_raw')
  })
})

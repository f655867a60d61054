import { DATA, SECRET, webhookSettings } from '../../test/factories.ts'
import type { WebhookSettings } from './settings.ts'
import { createSigner } from './signer.ts'

// Computed with: printf '%s' "1700000000.$BODY" | openssl dgst -<digest> -hmac "$SECRET"
const SIGNATURES = {
  'hmac-sha256': 'aa7048c14c342e1b52187e1b1a3089b9970930f03272e1ba4e5128ee02cc00d4',
  'hmac-sha1': '8adb486f375382ca4cdf518986eecafd4db815bc',
  'hmac-sha512':
    'c7f80565ef815ec54f201688c7356ff30cc19880bb5f70e3553ce18008ea380da4d0163e7eec7b7392d7b1bdf19d20e800e1a25d81793ad297a612a32d0131e4',
} as const
const BASE64 = 'qnBIwUw0LhtSGH4bGjCJuZcJMPAycuG6TlEo7gLMANQ='
const PREVIOUS_SECRET = 'whsec_b2xkZXIgc2VjcmV0IG9mIHRoaXJ0eS10d28gYnl0ZXMh'
const PREVIOUS_SIGNATURE = 'cfad2607c6855d6d657903994718e773dab729726c39e7962a684de5f2b01342'

function sign(settings: Partial<WebhookSettings>, ...secrets: string[]): string {
  const signer = createSigner(webhookSettings(settings))
  const keys = secrets.map((secret) => signer.key(secret))
  return signer.header({ timestamp: '1700000000', body: DATA }, keys)
}

describe('signature', () => {
  it.each(Object.entries(SIGNATURES))('is what openssl makes of %s', (algorithm, signature) => {
    const signatureAlgorithm = algorithm as WebhookSettings['signatureAlgorithm']

    expect(sign({ signatureAlgorithm }, SECRET)).toBe(`t=1700000000,v0=${signature}`)
  })

  it('may be base64', () => {
    expect(sign({ signatureEncoding: 'base64' }, SECRET)).toBe(`t=1700000000,v0=${BASE64}`)
  })

  it('lists one signature per secret, the current one first', () => {
    expect(sign({}, SECRET, PREVIOUS_SECRET)).toBe(
      `t=1700000000,v0=${SIGNATURES['hmac-sha256']},${PREVIOUS_SIGNATURE}`,
    )
  })

  it.each([
    ['DESTINATIONS_WEBHOOK_MODE', { mode: 'standard' }],
    ['DESTINATIONS_WEBHOOK_SIGNATURE_CONTENT_TEMPLATE', { signatureContentTemplate: '{{.Topic}}' }],
    ['DESTINATIONS_WEBHOOK_SIGNATURE_HEADER_TEMPLATE', { signatureHeaderTemplate: 'v1=x' }],
  ] as const)('is refused by name when %s asks for another way', (variable, settings) => {
    expect(() => createSigner(webhookSettings(settings))).toThrow(variable)
  })
})

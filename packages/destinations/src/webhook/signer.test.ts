import { DATA, SECRET, webhookDestination, webhookSettings } from '../../test/factories.ts'
import type { WebhookSettings } from './settings.ts'
import { createSigner } from './signer.ts'

/*
 * Every signature here is what openssl makes, with SECRET and the BODY of the factories:
 *
 *   printf '%s' "1700000000.$BODY" | openssl dgst -sha256 -hmac "$SECRET"
 *
 * for base64 with `-binary | base64 -w0` behind it; other digests and contents in their places.
 */
const SIGNATURES = [
  ['hmac-sha256', 'hex', 'aa7048c14c342e1b52187e1b1a3089b9970930f03272e1ba4e5128ee02cc00d4'],
  ['hmac-sha256', 'base64', 'qnBIwUw0LhtSGH4bGjCJuZcJMPAycuG6TlEo7gLMANQ='],
  ['hmac-sha1', 'hex', '8adb486f375382ca4cdf518986eecafd4db815bc'],
  ['hmac-sha1', 'base64', 'ittIbzdTgspM31GJhu7K/U24Fbw='],
  [
    'hmac-sha512',
    'hex',
    'c7f80565ef815ec54f201688c7356ff30cc19880bb5f70e3553ce18008ea380da4d0163e7eec7b7392d7b1bdf19d20e800e1a25d81793ad297a612a32d0131e4',
  ],
  [
    'hmac-sha512',
    'base64',
    'x/gFZe+BXsVPIBaIxzVv8wzBmIC7X3DjVTzhgAjqOA2k0BY+fux7c5LXsb3xnSDoAOGiXYF5OtKXphKjLQEx5A==',
  ],
] as const
const WIRE = 'aa7048c14c342e1b52187e1b1a3089b9970930f03272e1ba4e5128ee02cc00d4'
const PREVIOUS_SECRET = 'whsec_b2xkZXIgc2VjcmV0IG9mIHRoaXJ0eS10d28gYnl0ZXMh'
const PREVIOUS_WIRE = 'cfad2607c6855d6d657903994718e773dab729726c39e7962a684de5f2b01342'
/** printf '%s' "$BODY" | … */
const OF_BODY = '6f5eacde82197c38787772d26befb0faa3962f1930949ae995a72e26da5a94c5'
const PREVIOUS_OF_BODY = '38a4f0fc1be87d47747342283fc0899d1a0fd1dd7cd75632c3b173a383621ffa'

const WIRE_CONTENT = '{{.Timestamp.Unix}}.{{.Body}}'
const WIRE_HEADER = 't={{.Timestamp.Unix}},v0={{.Signatures | join ","}}'

const ROTATING = {
  secret: SECRET,
  previous_secret: PREVIOUS_SECRET,
  previous_secret_invalid_at: '2024-01-01T00:00:00.000Z',
}

function sign(settings: Partial<WebhookSettings>, credentials = { secret: SECRET }): string {
  const destination = webhookDestination('https://example.com', { credentials })
  return createSigner(webhookSettings(settings)).prepare(destination)({
    eventId: 'evt_1',
    topic: 'user.created',
    timeMs: 1_700_000_000_999,
    timestamp: '1700000000',
    body: DATA,
    nowMs: 1_700_000_600_000,
  })
}

function templates(content: string, header: string): Partial<WebhookSettings> {
  return { signatureContentTemplate: content, signatureHeaderTemplate: header }
}

describe('signature in default mode', () => {
  it.each(SIGNATURES)('is what openssl makes of %s in %s', (algorithm, encoding, signature) => {
    const settings = { signatureAlgorithm: algorithm, signatureEncoding: encoding }

    expect(sign(settings)).toBe(`t=1700000000,v0=${signature}`)
    expect(sign({ ...settings, ...templates(WIRE_CONTENT, WIRE_HEADER) })).toBe(
      `t=1700000000,v0=${signature}`,
    )
  })

  it('lists one signature per secret, the current one first', () => {
    expect(sign({}, ROTATING)).toBe(`t=1700000000,v0=${WIRE},${PREVIOUS_WIRE}`)
    expect(sign(templates(WIRE_CONTENT, WIRE_HEADER), ROTATING)).toBe(
      `t=1700000000,v0=${WIRE},${PREVIOUS_WIRE}`,
    )
  })

  it('takes both templates at their word as soon as one of them is not the default', () => {
    const { signatureContentTemplate, signatureHeaderTemplate } = webhookSettings()

    expect(sign(templates(signatureContentTemplate, 'v1={{.Signatures | join ","}}'))).toBe(
      `v1=${OF_BODY}`,
    )
    expect(sign(templates('{{ .Body }}', signatureHeaderTemplate))).toBe(`v0=${OF_BODY}`)
    expect(sign(templates(WIRE_CONTENT, signatureHeaderTemplate))).toBe(`v0=${WIRE}`)
  })

  it('takes the form of GitHub by settings alone', () => {
    const github = templates('{{.Body}}', 'sha256={{.Signatures | join ""}}')

    expect(sign(github)).toBe(`sha256=${OF_BODY}`)
    expect(sign(templates('{{.Body}}', 'sha256={{.Signatures | join ",sha256="}}'), ROTATING)).toBe(
      `sha256=${OF_BODY},sha256=${PREVIOUS_OF_BODY}`,
    )
    expect(
      sign({
        ...templates('{{.Body}}', 'sha1={{.Signatures | join ""}}'),
        signatureAlgorithm: 'hmac-sha1',
      }),
    ).toBe('sha1=86c57fcae756f3dd3569c62a17dc500d88ea9884')
  })

  it('takes the form of Slack by settings alone', () => {
    const slack = templates('v0:{{.Timestamp.Unix}}:{{.Body}}', 'v0={{.Signatures | join ",v0="}}')

    expect(sign(slack)).toBe('v0=17939eb635155b8fa69cb2896160869bc5c7a37b6464858cbb9fb5db20ded4ea')
  })

  it('may cover everything that a template knows', () => {
    // printf '%s' "evt_1|USER.CREATED|1700000000999|2023-11-14T22:13:20Z|$BODY" | …
    const content =
      '{{.EventID}}|{{.Topic | upper}}|{{.Timestamp.UnixMilli}}|{{.Timestamp.Format "2006-01-02T15:04:05Z07:00"}}|{{.Body}}'

    expect(
      sign({
        ...templates(content, '{{.EventID}} {{join " " .Signatures}}'),
        signatureAlgorithm: 'hmac-sha512',
        signatureEncoding: 'base64',
      }),
    ).toBe(
      'evt_1 UmJCsHLPYo930CZBZVKMDQ0aq6OBMnqTWws9y5jMWLCnC0kJf+td7+1MiqskqU2Huk5IzLO6Wuf2s3Xu2LcEYw==',
    )
    // printf '%s\n%s' evt_1 "$BODY" | …
    expect(sign(templates('{{.EventID}}{{"\\n"}}{{.Body}}', '{{.Signatures | join ","}}'))).toBe(
      'b782ab30ff8122cb275afdaf84cfbbdcb1978291c66a4b79e09112ff237f1985',
    )
  })

  it('is of the bytes of the body, whether they are text or not', () => {
    const destination = webhookDestination('https://example.com')
    const write = (body: Buffer) =>
      createSigner(webhookSettings(templates('{{.Body}}', '{{.Signatures | join ","}}'))).prepare(
        destination,
      )({ eventId: 'e', topic: 't', timeMs: 0, timestamp: '0', body, nowMs: 0 })

    // printf '\377\376' | …
    expect(write(Buffer.of(0xff, 0xfe))).toBe(
      '60ea8920655588223b23eba053d8702d716fec2a9201e0eb8de3cc23c5a1ded1',
    )
  })

  it('names both templates that cannot be used, each with the place', () => {
    expect(() => createSigner(webhookSettings(templates('a{{.Bodi}}', '{{.Signatures}}')))).toThrow(
      'DESTINATIONS_WEBHOOK_SIGNATURE_CONTENT_TEMPLATE cannot be used at line 1, column 4: there is no field .Bodi here, only .EventID, .Topic, .Timestamp, .Body; ' +
        'DESTINATIONS_WEBHOOK_SIGNATURE_HEADER_TEMPLATE cannot be used at line 1, column 1: this is .Signatures, which only join makes a text of',
    )
  })

  it('does not come to be with a webhook that has no secret', () => {
    expect(() => sign({}, {} as { secret: string })).toThrow('without a secret')
    expect(() => sign({ mode: 'standard' }, { secret: '' })).toThrow('without a secret')
  })
})

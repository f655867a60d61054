import { validateSettings } from '../validate-fields.ts'
import { credentialFaults, settingsOf, targetOf, typeNamed } from '../../test/samples.ts'

const FORM = 'credentials.token must be base64 of <source id>:<key>'

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

describe('event gateway', () => {
  it.each([base64('src_1:key'), base64('src_12:key').replace(/=+$/, ''), base64('a-B_9:k:e:y=/+')])(
    'takes the token %s',
    (token) => {
      expect(credentialFaults('relay', { token })).toEqual([])
    },
  )

  it.each([
    'src_1:key',
    base64('src_1'),
    base64(':key'),
    base64('src_1:'),
    base64('src/1:key'),
    base64('../x:key'),
    base64('src_1:k ey'),
    base64('src_1:kéy'),
    `${base64('src_1:key')}\n`,
    `${base64('src_1:key')}*`,
    base64('src_1:key~~?').replace('/', '_'),
  ])('does not take the token "%s"', (token) => {
    expect(credentialFaults('relay', { token })).toEqual([FORM])
  })

  it('needs a token, and no config: it knows its source by the token', () => {
    const relay = typeNamed('relay')
    const { credentials } = settingsOf('relay')

    expect(credentialFaults('relay', { token: undefined })).toEqual([
      'credentials.token is required',
    ])
    expect(validateSettings(relay, { config: { anything: 'at all' }, credentials })).toEqual([])
    expect(relay.ownConfig?.(credentials)).toEqual({ source_id: 'src_1' })
    expect(relay.ownConfig?.({ token: 'other' })).toEqual({})
  })

  it('is told by the name of its source, or its id', () => {
    expect(targetOf('relay', { source_id: 'src_1' })).toEqual({
      target: 'source src_1',
      targetUrl: null,
    })
    expect(targetOf('relay', { source_id: 'src_1', source_name: 'orders' }).target).toBe('orders')
  })

  it('leads to the page of the gateway where a token is made', () => {
    expect(typeNamed('relay').document.setup_link).toEqual({
      href: 'https://dashboard.hookdeck.com/connect',
      cta: 'Connect',
    })
  })
})

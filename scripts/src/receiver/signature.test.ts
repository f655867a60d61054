import { createHmac } from 'node:crypto'
import { verdictOn } from './signature.ts'

const body = Buffer.from('{"n":1.10}')

function sign(secret: string, bytes = body): string {
  return createHmac('sha256', secret).update('1700000000.').update(bytes).digest('hex')
}

function signed(header: string | undefined) {
  return { headers: header === undefined ? {} : { 'x-service-signature': header }, body }
}

describe('the verdict on a signature', () => {
  it('is valid when the secret made it', async () => {
    expect(await verdictOn(signed(`t=1700000000,v0=${sign('a')}`), ['a'])).toBe('valid')
  })

  it('is valid when any of the signatures was made with any of the secrets', async () => {
    const header = `t=1700000000,v0=${sign('new')},${sign('old')}`
    expect(await verdictOn(signed(header), ['another', 'old'])).toBe('valid')
  })

  it.each([
    ['another secret', `t=1700000000,v0=${sign('b')}`],
    ['another timestamp', `t=1700000001,v0=${sign('a')}`],
    ['another body', `t=1700000000,v0=${sign('a', Buffer.from('{"n":1.1}'))}`],
  ])('is not valid for %s', async (_, header) => {
    expect(await verdictOn(signed(header), ['a'])).toBe('not valid')
  })

  it.each([undefined, '', sign('a'), 't=1700000000,v0=', `t=1,v0=${sign('a').slice(0, 32)}`])(
    'is unsigned for %s',
    async (header) => {
      expect(await verdictOn(signed(header), ['a'])).toBe('unsigned')
    },
  )

  it('is unchecked without a secret', async () => {
    expect(await verdictOn(signed(`t=1700000000,v0=${sign('a')}`), [])).toBe('unchecked')
  })

  it.each([
    ['whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3', Buffer.from('0123456789abcdef01234567')],
    ['first-delivery', Buffer.from('first-delivery')],
  ])('knows standard mode, with the secret %s', async (secret, key) => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', key).update(`evt_1.${timestamp}.`).update(body)
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature.digest('base64')}`,
    }
    expect(await verdictOn({ headers, body }, ['another', secret])).toBe('valid')
    expect(await verdictOn({ headers, body }, ['another'])).toBe('not valid')
    expect(
      await verdictOn({ headers: { ...headers, 'webhook-id': 'evt_2' }, body }, [secret]),
    ).toBe('not valid')
  })
})

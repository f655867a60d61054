import { createHmac } from 'node:crypto'
import { verdictOn } from './signature.ts'

const body = Buffer.from('{"n":1.10}')

function sign(secret: string, bytes = body): string {
  return createHmac('sha256', secret).update('1700000000.').update(bytes).digest('hex')
}

describe('the verdict on a signature', () => {
  it('is valid when the secret made it', () => {
    expect(verdictOn({ header: `t=1700000000,v0=${sign('a')}`, body }, ['a'])).toBe('valid')
  })

  it('is valid when any of the signatures was made with any of the secrets', () => {
    const header = `t=1700000000,v0=${sign('new')},${sign('old')}`
    expect(verdictOn({ header, body }, ['another', 'old'])).toBe('valid')
  })

  it.each([
    ['another secret', `t=1700000000,v0=${sign('b')}`],
    ['another timestamp', `t=1700000001,v0=${sign('a')}`],
    ['another body', `t=1700000000,v0=${sign('a', Buffer.from('{"n":1.1}'))}`],
    ['half of a signature', `t=1700000000,v0=${sign('a').slice(0, 32)}`],
  ])('is not valid for %s', (_, header) => {
    expect(verdictOn({ header, body }, ['a'])).toBe('not valid')
  })

  it.each([undefined, '', sign('a'), `t=now,v0=${sign('a')}`, 't=1700000000,v0='])(
    'is unsigned for %s',
    (header) => {
      expect(verdictOn({ header, body }, ['a'])).toBe('unsigned')
    },
  )

  it('is unchecked without a secret', () => {
    expect(verdictOn({ header: `t=1700000000,v0=${sign('a')}`, body }, [])).toBe('unchecked')
  })
})

import { AddressGuard } from './address-guard.ts'

describe('literal addresses in URLs', () => {
  const guard = new AddressGuard({ allowedNetworks: ['10.1.0.0/16'] })

  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://①②⑦.0.0.1/',
    'http://%31%32%37.0.0.1/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://0/',
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]/',
  ])('refuses %s', (url) => {
    expect(guard.judgeLiteral(new URL(url))).toBe(false)
  })

  it.each([
    'https://example.com/',
    'http://localhost/',
    'http://8.8.8.8/',
    'http://[2606:4700:4700::1111]/',
    'http://10.1.2.3/',
  ])('has nothing against %s before it is connected to', (url) => {
    expect(guard.judgeLiteral(new URL(url))).toBe(true)
  })
})

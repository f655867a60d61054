import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

describe('hosts that need no name server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guard-'))
  const hostsPath = join(folder, 'hosts')
  writeFileSync(
    hostsPath,
    '10.1.0.1 db two\n10.2.0.1 two elsewhere\nfd00::1 two\n10.1.0.2 metadata',
  )

  afterAll(() => rmSync(folder, { recursive: true }))

  function addresses(host: string, ...allowedNetworks: string[]) {
    // Nobody is there to be asked.
    const guard = new AddressGuard({
      allowedNetworks,
      resolver: { hostsPath, servers: ['127.0.0.1:1'] },
    })
    return guard.resolve(host, 'tenant')
  }

  it('lead to the allowed ones of the addresses that the operator gave them', async () => {
    expect(await addresses('db', '10.1.0.0/16')).toEqual(['10.1.0.1'])
    expect(await addresses('TWO.', '10.1.0.0/16', 'fd00::/8')).toEqual(['10.1.0.1', 'fd00::1'])
    expect(await addresses('localhost', '::1/128')).toEqual(['::1'])
    expect(await addresses('0x0a.0x01.1', '10.1.0.0/16')).toEqual(['10.1.0.1'])
  })

  it.each(['elsewhere', 'localhost', '10.2.0.1', '[::1]', 'a..b', ''])(
    'are blocked when none is allowed, or there can be none: "%s"',
    async (host) => {
      await expect(addresses(host, '10.1.0.0/16')).rejects.toMatchObject({
        code: 'blocked_address',
      })
    },
  )

  it('are blocked when a cloud calls its metadata service so, whatever is allowed', async () => {
    await expect(addresses('metadata', '0.0.0.0/0', '::/0')).rejects.toMatchObject({
      code: 'blocked_address',
    })
    expect(await addresses('169.254.169.254', '169.254.169.254/32')).toEqual(['169.254.169.254'])
  })
})

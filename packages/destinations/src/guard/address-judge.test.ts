import * as fc from 'fast-check'
import { createAddressJudge } from './address-judge.ts'

describe('address judge', () => {
  const isAllowed = createAddressJudge([])

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
  ])('lets the public address %s through', (address) => {
    expect(isAllowed(address)).toBe(true)
  })

  it.each([
    ['this network', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['link-local, cloud metadata', '169.254.169.254'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['carrier-grade NAT', '100.127.255.255'],
    ['protocol assignments', '192.0.0.8'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarking', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-compatible', '::7f00:1'],
    ['IPv4-compatible', '::8.8.8.8'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped', '::ffff:8.8.8.8'],
    ['IPv4-translated', '::ffff:0:7f00:1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::7f00:1'],
    ['discard', '100::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['benchmarking', '2001:2::1'],
    ['ORCHID', '2001:20::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['6to4', '2002:7f00:1::'],
    ['segment routing', '5f00::1'],
    ['not yet given out', '4000::1'],
    ['unique-local', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
  ])('refuses %s: %s', (_, address) => {
    expect(isAllowed(address)).toBe(false)
  })

  it.each(['', 'example.com', '1.2.3', '1.2.3.4.5', '1.2.3.4:80', '[::1]'])(
    'refuses what is no address: "%s"',
    (text) => {
      expect(isAllowed(text)).toBe(false)
    },
  )

  it('refuses every IPv4 address in each IPv6 form that carries one', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
    fc.assert(
      fc.property(group, group, (high, low) => {
        const forms = [
          `::${high}:${low}`,
          `::ffff:${high}:${low}`,
          `64:ff9b::${high}:${low}`,
          `2002:${high}:${low}::1`,
        ]
        expect(forms.filter(isAllowed)).toEqual([])
      }),
    )
  })

  it('lets through what the operator allows, and nothing beside it', () => {
    const withAllowed = createAddressJudge(['10.1.0.0/16', '::1/128', '127.0.0.1/32'])

    expect(['10.1.2.3', '::1', '127.0.0.1', '8.8.8.8'].filter(withAllowed)).toHaveLength(4)
    expect(
      ['10.2.0.1', '::2', '127.0.0.2', '::ffff:127.0.0.1', '::ffff:10.1.2.3'].filter(withAllowed),
    ).toEqual([])
  })

  it('names a network that is none', () => {
    expect(() => createAddressJudge(['10.0.0.0/8', '10.0.0.0/33'])).toThrow(
      'not a network in CIDR notation: 10.0.0.0/33',
    )
  })
})

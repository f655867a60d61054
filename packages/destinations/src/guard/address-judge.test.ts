import * as fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { REFUSED_V4, REFUSED_V6 } from '../../test/guard-ranges.ts'
import { createAddressJudge } from './address-judge.ts'

function numberOf(address: string): bigint {
  return ipaddr
    .parse(address)
    .toByteArray()
    .reduce((number, byte) => number * 256n + BigInt(byte), 0n)
}

/** The address with this number, of the same family. */
function addressOf(number: bigint, sibling: string): string {
  const bytes = ipaddr.parse(sibling).toByteArray()
  const digits = number.toString(16).padStart(bytes.length * 2, '0')
  return ipaddr.fromByteArray([...Buffer.from(digits, 'hex')]).toString()
}

describe('address judge', () => {
  const isAllowed = createAddressJudge([])

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
  ])('lets the public address %s through', (address) => {
    expect(isAllowed(address)).toBe(true)
  })

  it.each([...REFUSED_V4, ...REFUSED_V6])(
    'refuses $range from the first to the last address, and nothing public beside it: $what',
    ({ first, last, neighbours }) => {
      const [from, to] = [numberOf(first), numberOf(last)]
      fc.assert(
        fc.property(fc.bigInt({ min: from, max: to }), (number) => {
          expect(isAllowed(addressOf(number, first))).toBe(false)
        }),
        { examples: [[from], [to]] },
      )
      expect(neighbours.filter(isAllowed)).toEqual(neighbours)
    },
  )

  it.each(['fe80::1%eth0', '::1%lo', '2606:4700:4700::1111%1', '8.8.8.8%1'])(
    'refuses every zone: %s',
    (address) => {
      expect(isAllowed(address)).toBe(false)
      expect(createAddressJudge(['::/0', '0.0.0.0/0'])(address)).toBe(false)
    },
  )

  it('refuses ISATAP under public prefixes, and nothing that only resembles it', () => {
    expect(['2600:1f18::5efe:7f00:1', '2600:1f18::200:5efe:808:808'].filter(isAllowed)).toEqual([])
    expect(
      ['2600:1f18::100:5efe:7f00:1', '2600:1f18::5eff:7f00:1', '2600:5efe::1'].filter(isAllowed),
    ).toHaveLength(3)
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

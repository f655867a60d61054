import { isIP } from 'node:net'
import type { DnsZone } from './dns-server.ts'
import { REFUSED_V4, REFUSED_V6 } from './guard-ranges.ts'

/** A host as in a URL, before the port, and why it is worth trying. */
export interface GuardCase {
  readonly host: string
  readonly why: string
}

/** A host to which a connection is made, and the addresses that are dialled. */
export interface AcceptedCase extends GuardCase {
  readonly addresses: readonly string[]
}

/** A host that is found out only by asking for its addresses. */
export interface RefusedName extends GuardCase {
  readonly code: 'blocked_address' | 'dns_error'
}

const OUTSIDE = '93.184.216.34'
const OUTSIDE_V6 = '2606:2800:220:1:248:1893:25c8:1946'

/** Spellings of addresses of this machine, all of which would arrive at a listener on it. */
export const LOOPBACK_SPELLINGS: readonly GuardCase[] = [
  { host: '127.0.0.1', why: 'loopback' },
  { host: '127.255.255.254', why: 'all of 127.0.0.0/8 is this machine' },
  { host: '127.1', why: 'two parts' },
  { host: '127.0.1', why: 'three parts' },
  { host: '2130706433', why: 'decimal' },
  { host: '0x7f000001', why: 'hexadecimal' },
  { host: '0X7F000001', why: 'hexadecimal, upper case' },
  { host: '0x00000000007f000001', why: 'hexadecimal with zeros before' },
  { host: '017700000001', why: 'octal' },
  { host: '0177.0.0.1', why: 'octal first part' },
  { host: '0000177.0.0.01', why: 'octal with zeros before' },
  { host: '0x7f.0.0.1', why: 'hexadecimal first part' },
  { host: '0x7f.1', why: 'hexadecimal, two parts' },
  { host: '0x7F.0.0x1', why: 'mixed, three parts' },
  { host: '0177.0x0.0.0x1', why: 'octal, hexadecimal and decimal' },
  { host: '127.0.0.0x1', why: 'hexadecimal last part' },
  { host: '127.0.0.1.', why: 'a final dot' },
  { host: '127.1.', why: 'two parts and a final dot' },
  { host: '１２７.0.0.1', why: 'fullwidth digits' },
  { host: '①②⑦.⓪.⓪.①', why: 'circled digits' },
  { host: '𝟏𝟐𝟕.𝟎.𝟎.𝟏', why: 'mathematical digits' },
  { host: '127。0。0。1', why: 'ideographic dots' },
  { host: '127．0．0．1', why: 'fullwidth dots' },
  { host: '127｡0｡0｡1', why: 'halfwidth ideographic dots' },
  { host: '12\u00AD7.0.0.1', why: 'a soft hyphen' },
  { host: '127.0.0.1\u200B', why: 'a zero-width space' },
  { host: '0.0.0.0', why: 'this host' },
  { host: '0', why: 'this host, decimal' },
  { host: '0x0', why: 'this host, hexadecimal' },
  { host: '00', why: 'this host, octal' },
  { host: '[::1]', why: 'IPv6 loopback' },
  { host: '[0:0:0:0:0:0:0:1]', why: 'IPv6 loopback, in full' },
  { host: '[0000:0000:0000:0000:0000:0000:0000:0001]', why: 'IPv6 loopback, with all zeros' },
  { host: '[::0.0.0.1]', why: 'IPv6 loopback, with an IPv4 end' },
  { host: '[::]', why: 'IPv6, this host' },
  { host: '[::ffff:127.0.0.1]', why: 'IPv4-mapped' },
  { host: '[::ffff:7f00:1]', why: 'IPv4-mapped, hexadecimal' },
  { host: '[::FFFF:7F00:0001]', why: 'IPv4-mapped, upper case' },
  { host: '[0:0:0:0:0:ffff:127.0.0.1]', why: 'IPv4-mapped, in full' },
  { host: '[::ffff:0.0.0.0]', why: 'IPv4-mapped, this host' },
]

/** Addresses that lead inside in other ways. */
const OTHER_SPELLINGS: readonly GuardCase[] = [
  { host: '%31%32%37.0.0.1', why: 'percent-encoded digits' },
  { host: '127%2E0%2E0%2E1', why: 'percent-encoded dots' },
  { host: '127.0.0.1..', why: 'two final dots' },
  { host: 'localhost..', why: 'a name with two final dots' },
  { host: '.localhost', why: 'a name that begins with a dot' },
  { host: '2852039166', why: 'cloud metadata, decimal' },
  { host: '0xa9fea9fe', why: 'cloud metadata, hexadecimal' },
  { host: '169.254.43518', why: 'cloud metadata, three parts' },
  { host: '[::ffff:169.254.169.254]', why: 'cloud metadata, IPv4-mapped' },
  { host: '[fd00:ec2::254]', why: 'cloud metadata of AWS over IPv6' },
  { host: '[fd20:ce::254]', why: 'cloud metadata of Google over IPv6' },
  { host: '100.100.100.200', why: 'cloud metadata of Alibaba' },
  { host: '192.0.0.192', why: 'cloud metadata of Oracle' },
  { host: '2822734096', why: 'Azure’s wire server, decimal' },
  { host: '[::127.0.0.1]', why: 'IPv4-compatible' },
  { host: '[::ffff:0:127.0.0.1]', why: 'IPv4-translated' },
  { host: '[::ffff:8.8.8.8]', why: 'a public address, IPv4-mapped' },
  { host: '[64:ff9b::127.0.0.1]', why: 'NAT64' },
  { host: '[64:ff9b::8.8.8.8]', why: 'a public address behind NAT64' },
  { host: '[64:ff9b:1::10.0.0.1]', why: 'local NAT64' },
  { host: '[2002:7f00:1::]', why: '6to4' },
  { host: '[2002:a9fe:a9fe::1]', why: 'cloud metadata behind 6to4' },
  { host: '[2001:0:4136:e378:8000:63bf:80ff:fffe]', why: 'Teredo, of 127.0.0.1' },
  { host: '[2600:1f18::5efe:7f00:1]', why: 'ISATAP' },
  { host: '[2600:1f18::200:5efe:8.8.8.8]', why: 'ISATAP, of an address that is unique' },
  {
    host: 'metadata.google.internal',
    why: 'a metadata service by name, though it resolves outside',
  },
  { host: 'METADATA.google.internal.', why: 'the same with upper case and a final dot' },
  { host: 'metadata。google。internal', why: 'the same with ideographic dots' },
  { host: 'metadata', why: 'the same without its domain' },
  { host: 'metadata.goog', why: 'the same by its other name' },
  { host: 'instance-data', why: 'a metadata service of AWS' },
  { host: 'instance-data.ec2.internal', why: 'the same with its domain' },
  { host: 'metadata.azure.internal', why: 'a metadata service of Azure' },
  { host: 'metadata.tencentyun.com', why: 'a metadata service of Tencent' },
]

/** What no URL and no socket understands. */
const UNREADABLE: readonly GuardCase[] = [
  { host: '256.1.1.1', why: 'a part above 255' },
  { host: '1.2.3.4.5', why: 'five parts' },
  { host: '127.0.0.08', why: 'an octal part with an 8' },
  { host: '4294967296', why: 'a number above 32 bits' },
  { host: '1..1', why: 'an empty part' },
  { host: '[::1%25lo]', why: 'a zone' },
  { host: '[fe80::1%eth0]', why: 'a zone, not encoded' },
  { host: '[127.0.0.1]', why: 'IPv4 in brackets' },
  { host: '[::1', why: 'a bracket that is not closed' },
  { host: '127.0.0.1%00', why: 'an encoded NUL' },
  { host: '127.0.0.1%2f', why: 'an encoded slash' },
  { host: '٣.0.0.1', why: 'Arabic digits' },
  { host: 'xn--a', why: 'Punycode that encodes nothing' },
]

/** Refused when it is written, and again when it is sent to. */
export const REFUSED_WHEN_WRITTEN: readonly GuardCase[] = [
  ...[...REFUSED_V4, ...REFUSED_V6].flatMap(({ first, last, range, what }) => [
    { host: hostOf(first), why: `first of ${range}: ${what}` },
    { host: hostOf(last), why: `last of ${range}: ${what}` },
  ]),
  ...LOOPBACK_SPELLINGS,
  ...OTHER_SPELLINGS,
  ...UNREADABLE,
]

/** Names that lead inside or nowhere, which only a lookup can tell. */
export const REFUSED_NAMES: readonly RefusedName[] = [
  blocked('localhost', 'loopback by name'),
  blocked('LOCALHOST.', 'the same with upper case and a final dot'),
  blocked('app.localhost', 'what ends in localhost is loopback'),
  blocked('ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'loopback in circled letters'),
  blocked('loc\u00ADalhost', 'loopback with a soft hyphen'),
  blocked('loopback.test', 'an A record with loopback'),
  blocked('LoopBack.Test.', 'the same with upper case and a final dot'),
  blocked('any.test', 'an A record with 0.0.0.0'),
  blocked('private.test', 'an A record with a private address'),
  blocked('metadata.test', 'an A record with cloud metadata'),
  blocked('wire-server.test', 'an A record with Azure’s wire server'),
  blocked('loopback6.test', 'an AAAA record with loopback, and no A'),
  blocked('unique-local.test', 'an AAAA record with a unique-local address'),
  blocked('mapped.test', 'an AAAA record with mapped loopback'),
  blocked('mapped-public.test', 'an AAAA record with a mapped public address'),
  blocked('nat64.test', 'an AAAA record with loopback behind NAT64'),
  blocked('6to4.test', 'an AAAA record with loopback behind 6to4'),
  blocked('isatap.test', 'an AAAA record with loopback behind ISATAP'),
  blocked('mixed.test', 'a public and a private A record'),
  blocked('mixed-families.test', 'a public A and a loopback AAAA record'),
  blocked('alias.test', 'a CNAME to a name inside'),
  blocked('alias-localhost.test', 'a CNAME to localhost'),
  blocked('huge-inside.test', 'the last of a hundred records leads inside'),
  blocked('truncated.test', 'the address is told over TCP only'),
  blocked('printer.local', 'a .local name with an address inside'),
  blocked('db.localdomain', 'a .localdomain name with an address inside'),
  blocked('xn--bcher-kva-inside.test', 'an IDN with an address inside'),
  nowhere('unknown.test', 'a name that does not exist'),
  nowhere('empty.test', 'a name without addresses'),
  nowhere('failing.test', 'a name server that cannot tell'),
  nowhere('huge.test', 'more addresses than any receiver has'),
  nowhere('unknown.local', 'a .local name: nobody is asked by multicast'),
]

/** Hosts that are connected to, at these addresses and no others. */
export const ACCEPTED: readonly AcceptedCase[] = [
  ...[...REFUSED_V4, ...REFUSED_V6].flatMap(({ neighbours, range }) =>
    neighbours.map((address) => ({
      host: hostOf(address),
      why: `beside ${range}`,
      addresses: [canonical(address)],
    })),
  ),
  { host: '8.8.8.8', why: 'a public address', addresses: ['8.8.8.8'] },
  { host: '134744072', why: 'the same, decimal', addresses: ['8.8.8.8'] },
  { host: '0x8.0x8.2056', why: 'the same, mixed', addresses: ['8.8.8.8'] },
  { host: '8.8.8.8.', why: 'the same with a final dot', addresses: ['8.8.8.8'] },
  { host: '[2606:4700:4700::1111]', why: 'public IPv6', addresses: ['2606:4700:4700::1111'] },
  {
    host: '[2606:4700:4700:0:0:0:0:1111]',
    why: 'public IPv6, in full',
    addresses: ['2606:4700:4700::1111'],
  },
  {
    host: '[2600:1f18::100:5efe:7f00:1]',
    why: 'almost ISATAP',
    addresses: ['2600:1f18::100:5efe:7f00:1'],
  },
  { host: 'public.test', why: 'a public A record', addresses: [OUTSIDE] },
  { host: 'PUBLIC.test.', why: 'the same with upper case and a final dot', addresses: [OUTSIDE] },
  { host: 'public。test', why: 'the same with an ideographic dot', addresses: [OUTSIDE] },
  { host: 'pub\u00ADlic.test', why: 'the same with a soft hyphen', addresses: [OUTSIDE] },
  { host: 'bücher.test', why: 'an IDN', addresses: [OUTSIDE] },
  { host: 'public6.test', why: 'an AAAA record alone', addresses: [OUTSIDE_V6] },
  { host: 'both.test', why: 'both families', addresses: [OUTSIDE, OUTSIDE_V6] },
  { host: 'alias-public.test', why: 'a CNAME to a name outside', addresses: [OUTSIDE] },
  { host: 'truncated-public.test', why: 'told over TCP only', addresses: [OUTSIDE] },
  {
    host: 'shop.internal',
    why: 'a name ends in .internal; its address decides',
    addresses: [OUTSIDE],
  },
  { host: 'under_score.test', why: 'a name that is no host name, but used', addresses: [OUTSIDE] },
]

/** What a name server must know for these cases; the lists are asked for one after the other. */
export const GUARD_ZONE: DnsZone = {
  'public.test': { a: [OUTSIDE] },
  'public6.test': { aaaa: [OUTSIDE_V6] },
  'both.test': { a: [OUTSIDE], aaaa: [OUTSIDE_V6] },
  'xn--bcher-kva.test': { a: [OUTSIDE] },
  'alias-public.test': { cname: 'public.test', a: [OUTSIDE] },
  'truncated-public.test': { isTruncated: true, a: [OUTSIDE] },
  'shop.internal': { a: [OUTSIDE] },
  'under_score.test': { a: [OUTSIDE] },
  'metadata.google.internal': { a: [OUTSIDE] },
  'loopback.test': { a: ['127.0.0.1'] },
  'any.test': { a: ['0.0.0.0'] },
  'private.test': { a: ['10.0.0.1'] },
  'metadata.test': { a: ['169.254.169.254'] },
  'wire-server.test': { a: ['168.63.129.16'] },
  'loopback6.test': { aaaa: ['::1'] },
  'unique-local.test': { aaaa: ['fd00:ec2::254'] },
  'mapped.test': { aaaa: ['::ffff:127.0.0.1'] },
  'mapped-public.test': { aaaa: ['::ffff:8.8.8.8'] },
  'nat64.test': { aaaa: ['64:ff9b::7f00:1'] },
  '6to4.test': { aaaa: ['2002:7f00:1::1'] },
  'isatap.test': { aaaa: ['2600:1f18::5efe:7f00:1'] },
  'mixed.test': { a: [OUTSIDE, '10.0.0.1'] },
  'mixed-families.test': { a: [OUTSIDE], aaaa: ['::1'] },
  'alias.test': { cname: 'private.test', a: ['10.0.0.1'] },
  'alias-localhost.test': { cname: 'localhost', a: ['127.0.0.1'] },
  'huge-inside.test': { a: [...outsiders(99), '10.0.0.1'] },
  'huge.test': { a: outsiders(2000) },
  'truncated.test': { isTruncated: true, a: ['10.0.0.1'] },
  'printer.local': { a: ['192.168.1.9'] },
  'db.localdomain': { a: ['10.0.0.1'] },
  'xn--bcher-kva-inside.test': { a: ['10.0.0.1'] },
  'empty.test': {},
  'failing.test': { isFailing: true },
  // First outside, then inside, and not to be kept.
  'rebinding.test': [
    { a: [OUTSIDE], ttl: 0 },
    { a: ['127.0.0.1'], ttl: 0 },
  ],
}

function blocked(host: string, why: string): RefusedName {
  return { host, why, code: 'blocked_address' }
}

function nowhere(host: string, why: string): RefusedName {
  return { host, why, code: 'dns_error' }
}

function hostOf(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address
}

function canonical(address: string): string {
  return new URL(`http://${hostOf(address)}`).hostname.replace(/^\[(.*)\]$/, '$1')
}

function outsiders(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `93.184.${i >> 8}.${i & 0xff}`)
}

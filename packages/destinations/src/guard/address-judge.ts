import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Whether a service of ours may connect to this address. */
export type AddressJudge = (address: string) => boolean

/**
 * The one rule of where tenants may send us: to public unicast addresses, and to the networks that
 * the operator allows. Everything else is refused: loopback, private, link-local, unique-local,
 * carrier-grade NAT, multicast, reserved, documentation, and all forms of IPv6 that carry an IPv4
 * address (mapped, NAT64, 6to4, Teredo, ISATAP), because they reach what the IPv4 address would.
 * Whatever IANA's registries of special addresses hold is refused, also what is globally reachable
 * there: relays, anycast services of one's own network and sinks are nobody's receiver.
 *
 * A judge takes an address in the canonical form of the WHATWG URL, of DNS answers or of sockets;
 * what it cannot read it refuses, and with it every zone (`fe80::1%eth0`).
 *
 * @param allowedNetworks - CIDRs
 * @throws {Error} When one of them is not a CIDR
 */
export function createAddressJudge(allowedNetworks: readonly string[]): AddressJudge {
  const isInNetworks = createNetworkJudge(allowedNetworks)
  return remembering((address) => {
    if (isInNetworks(address)) return true
    const parsed = parse(address)
    return parsed !== null && isPublic(parsed)
  })
}

/** An IPv6 address in full. */
const MAX_LENGTH = 39
const MAX_REMEMBERED = 4096

/** Reading an address is most of what judging costs, and the same ones come again and again. */
function remembering(judge: AddressJudge): AddressJudge {
  const verdicts = new Map<string, boolean>()
  return (address) => {
    const known = verdicts.get(address)
    if (known !== undefined) return known
    const verdict = judge(address)
    if (verdicts.size >= MAX_REMEMBERED) verdicts.clear()
    if (address.length <= MAX_LENGTH) verdicts.set(address, verdict)
    return verdict
  }
}

/**
 * Whether an address lies in one of these networks.
 *
 * @param networks - CIDRs
 * @throws {Error} When one of them is not a CIDR
 */
export function createNetworkJudge(networks: readonly string[]): AddressJudge {
  const list = networks.map(parseNetwork)
  return (address) => {
    const parsed = parse(address)
    return parsed !== null && list.some((network) => contains(network, parsed))
  }
}

type Address = ReturnType<typeof ipaddr.parse>
type Network = readonly [Address, number]

/** Null: no address. ipaddr.js alone also reads the short and octal forms of inet_aton. */
function parse(text: string): Address | null {
  return isIP(text) === 0 || text.includes('%') ? null : ipaddr.parse(text)
}

// IANA gives out global unicast addresses from here alone; ipaddr.js calls all it has no name for unicast.
const GLOBAL_UNICAST_V6: Network = [ipaddr.parse('2000::'), 3]

// Answers machines in Azure about themselves, though by its number it is a public address.
const AZURE_WIRE_SERVER: Network = [ipaddr.parse('168.63.129.16'), 32]

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv6
    ? contains(GLOBAL_UNICAST_V6, address) && !isIsatap(address)
    : !contains(AZURE_WIRE_SERVER, address)
}

/** RFC 5214: under any prefix, an interface `[02]00:5efe` is a tunnel to the IPv4 address behind it. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)
}

function contains([base, prefixLength]: Network, address: Address): boolean {
  return base.kind() === address.kind() && address.match(base, prefixLength)
}

function parseNetwork(text: string): Network {
  try {
    return ipaddr.parseCIDR(text)
  } catch (cause) {
    throw new Error(`not a network in CIDR notation: ${text}`, { cause })
  }
}

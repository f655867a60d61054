import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Whether a service of ours may connect to this address. */
export type AddressJudge = (address: string) => boolean

/**
 * The one rule of where tenants may send us: to public unicast addresses, and to the networks that
 * the operator allows. Everything else is refused: loopback, private, link-local, unique-local,
 * carrier-grade NAT, multicast, reserved, documentation, and all forms of IPv6 that carry an IPv4
 * address (mapped, NAT64, 6to4, Teredo), because they reach what the IPv4 address would.
 *
 * A judge takes an address in the canonical form of the WHATWG URL, of DNS answers or of sockets;
 * what it cannot read it refuses.
 *
 * @param allowedNetworks - CIDRs
 * @throws {Error} When one of them is not a CIDR
 */
export function createAddressJudge(allowedNetworks: readonly string[]): AddressJudge {
  const isInNetworks = createNetworkJudge(allowedNetworks)
  return (address) =>
    isInNetworks(address) || (isIP(address) !== 0 && isPublic(ipaddr.parse(address)))
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
    // ipaddr.js alone also reads the short and octal forms of inet_aton.
    if (isIP(address) === 0) return false
    const parsed = ipaddr.parse(address)
    return list.some((network) => contains(network, parsed))
  }
}

type Address = ReturnType<typeof ipaddr.parse>
type Network = readonly [Address, number]

// IANA gives out global unicast addresses from here alone; ipaddr.js calls all it has no name for unicast.
const GLOBAL_UNICAST_V6: Network = [ipaddr.parse('2000::'), 3]

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || contains(GLOBAL_UNICAST_V6, address)
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

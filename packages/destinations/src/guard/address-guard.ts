import { isIP, type LookupFunction } from 'node:net'
import { type AddressJudge, createAddressJudge, createNetworkJudge } from './address-judge.ts'
import { ConnectFailureError } from './failures.ts'
import { NameResolver, type NameResolverOptions } from './name-resolver.ts'

/**
 * How long one address of several may take to connect before the next is tried. Node's own 250 ms
 * would give up on healthy receivers on other continents.
 */
export const NEXT_ADDRESS_AFTER_MS = 1000

export interface AddressGuardOptions {
  /** CIDRs that are let through although they are not public. */
  readonly allowedNetworks: readonly string[]
  readonly resolver?: NameResolverOptions
}

/** Options of a socket that may go to judged addresses only. */
export interface GuardedSocketOptions {
  readonly lookup: LookupFunction
  readonly autoSelectFamily: true
  readonly autoSelectFamilyAttemptTimeout: number
}

/**
 * Stands between what tenants enter and what we connect to: names are resolved here, every address is
 * judged, and connections go to judged addresses only, so that a name cannot mean one address when it
 * is checked and another when it is dialled. Works per connection, not per request.
 */
export class AddressGuard {
  readonly #isAllowed: AddressJudge
  readonly #isOperators: AddressJudge
  readonly #resolver: NameResolver

  /** @throws {Error} When an allowed network is not a CIDR */
  constructor({ allowedNetworks, resolver }: AddressGuardOptions) {
    this.#isAllowed = createAddressJudge(allowedNetworks)
    this.#isOperators = createNetworkJudge(allowedNetworks)
    this.#resolver = new NameResolver(resolver)
  }

  /** Whether a bare address may be connected to. */
  judge(address: string): boolean {
    return this.#isAllowed(address)
  }

  /**
   * Whether the host of a URL may be used as far as that can be told without a lookup: false for a
   * literal address that is refused. All spellings of one address are one, since the URL parser makes
   * them so (`http://2130706433`, `http://0x7f.1`). Names pass here and are judged when connected to.
   */
  judgeLiteral(url: URL): boolean {
    const address = literalAddress(url)
    return address === null || this.#isAllowed(address)
  }

  /**
   * Whether the host of a URL may be one that the operator has allowed by name of its network, as far
   * as that can be told without a lookup: false for a literal address outside of the allowed networks.
   */
  mayBeOperators(url: URL): boolean {
    const address = literalAddress(url)
    return address === null || this.#isOperators(address)
  }

  /**
   * The addresses of a host that may be connected to; never empty.
   *
   * @param hostname - a name or a bare address
   * @param tenantUid - who asks: a tenant has few lookups in flight
   * @throws {ConnectFailureError} `blocked_address` when all are refused, `dns_error` when there are none
   */
  async resolve(hostname: string, tenantUid: string): Promise<readonly string[]> {
    const addresses =
      isIP(hostname) === 0 ? await this.#resolver.resolve(hostname, tenantUid) : [hostname]
    const allowed = addresses.filter(this.#isAllowed)
    if (allowed.length > 0) return allowed
    throw new ConnectFailureError('blocked_address', `${hostname}: its address is not allowed`)
  }

  /**
   * What makes a socket (`net.connect`, `tls.connect`) go to the judged addresses of a host and to no
   * others, while TLS keeps the name.
   *
   * @param hostname - a name or a bare address
   * @param tenantUid - who asks
   * @throws {ConnectFailureError} As `resolve` does
   */
  async socketOptions(hostname: string, tenantUid: string): Promise<GuardedSocketOptions> {
    const addresses = await this.resolve(hostname, tenantUid)
    const judged = addresses.map((address) => ({ address, family: isIP(address) }))
    return {
      // A socket asks for all addresses when it may try several. It looks up names only: a literal
      // address has just been judged.
      lookup: (_, __, callback) => callback(null, judged),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    }
  }
}

/** The host of a URL when it is an address; null when it is a name. */
function literalAddress({ hostname }: URL): string | null {
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(address) === 0 ? null : address
}

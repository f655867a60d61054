import { type AddressJudge, createAddressJudge, createNetworkJudge } from './address-judge.ts'
import { ConnectFailureError } from './failures.ts'
import { hostOf, readHost } from './host.ts'
import { NameResolver, type NameResolverOptions } from './name-resolver.ts'
import { isRefusedName } from './refused-names.ts'
import { type GuardedSocketOptions, socketsTo } from './socket-options.ts'

export interface AddressGuardOptions {
  /** CIDRs that are let through although they are not public. */
  readonly allowedNetworks: readonly string[]
  readonly resolver?: NameResolverOptions
  /**
   * Asked about every address that is allowed, at the moment it is handed over to be connected to;
   * false keeps it from being dialled. Default: true. With it tests see what would be dialled.
   */
  readonly mayDial?: (address: string) => boolean
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
  readonly #mayDial: (address: string) => boolean

  /** @throws {Error} When an allowed network is not a CIDR */
  constructor({ allowedNetworks, resolver, mayDial = () => true }: AddressGuardOptions) {
    this.#isAllowed = createAddressJudge(allowedNetworks)
    this.#isOperators = createNetworkJudge(allowedNetworks)
    this.#resolver = new NameResolver(resolver)
    this.#mayDial = mayDial
  }

  /** Whether a bare address may be connected to, which has to follow at once. */
  judge(address: string): boolean {
    return this.#isAllowed(address) && this.#mayDial(address)
  }

  /**
   * Whether the host of a URL may be used as far as that can be told without a lookup: false for a
   * literal address that is refused, in whatever spelling (`http://2130706433`, `http://0x7f.1`), for
   * the name of a cloud's metadata service, and for what can be no name. Other names pass here and are
   * judged when they are connected to.
   */
  judgeLiteral(url: URL): boolean {
    const host = hostOf(url)
    if (host === null) return false
    return host.kind === 'address' ? this.#isAllowed(host.address) : !isRefusedName(host.name)
  }

  /**
   * Whether the host of a URL may be one that the operator has allowed by name of its network, as far
   * as that can be told without a lookup: false for a literal address outside of the allowed networks.
   */
  mayBeOperators(url: URL): boolean {
    const host = hostOf(url)
    return host?.kind !== 'address' || this.#isOperators(host.address)
  }

  /**
   * The addresses of a host that may be connected to; never empty. Of an answer from DNS all have to
   * be allowed, because whoever mixes is up to something; of `localhost` and of names in the hosts file,
   * which are the operator's own, those that are.
   *
   * @param hostname - a name or an address, in any spelling that a URL may have
   * @param tenantUid - who asks: a tenant has few lookups in flight
   * @throws {ConnectFailureError} `blocked_address` when the host is refused or can be none,
   *   `dns_error` when it has no address
   */
  async resolve(hostname: string, tenantUid: string): Promise<readonly string[]> {
    const allowed = await this.#allowedAddresses(hostname, tenantUid)
    const addresses = allowed.filter(this.#mayDial)
    if (addresses.length > 0) return addresses
    throw new ConnectFailureError('blocked_address', `${hostname}: its address is not allowed`)
  }

  async #allowedAddresses(hostname: string, tenantUid: string): Promise<readonly string[]> {
    const host = readHost(hostname)
    if (host === null) return []
    if (host.kind === 'address') return [host.address].filter(this.#isAllowed)
    if (isRefusedName(host.name)) return []
    const { addresses, isOperators } = await this.#resolver.resolve(host.name, tenantUid)
    const allowed = addresses.filter(this.#isAllowed)
    return isOperators || allowed.length === addresses.length ? allowed : []
  }

  /**
   * What makes a socket (`net.connect`, `tls.connect`) go to the judged addresses of a host and to no
   * others, while TLS keeps the name.
   *
   * @param hostname - as for `resolve`
   * @param tenantUid - who asks
   * @throws {ConnectFailureError} As `resolve` does
   */
  async socketOptions(hostname: string, tenantUid: string): Promise<GuardedSocketOptions> {
    return socketsTo(await this.resolve(hostname, tenantUid))
  }
}

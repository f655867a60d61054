import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { buildConnector } from 'undici'
import { type AddressJudge, createAddressJudge, createNetworkJudge } from './address-judge.ts'
import { ConnectFailureError } from './failures.ts'
import { NameResolver, type NameResolverOptions } from './name-resolver.ts'

/**
 * How long one address of several may take to connect before the next is tried. Node's own 250 ms
 * would give up on healthy receivers on other continents.
 */
const NEXT_ADDRESS_AFTER_MS = 1000

export interface AddressGuardOptions {
  /** CIDRs that are let through although they are not public. */
  readonly allowedNetworks: readonly string[]
  readonly resolver?: NameResolverOptions
}

export interface ConnectorOptions {
  /** Whose connections they are. */
  readonly tenantUid: string
  /** For TCP and TLS together. */
  readonly timeoutMs: number
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

  /**
   * A connector for undici, for one tenant. TLS and the Host header keep the name; the socket gets a
   * judged address.
   */
  connector({ tenantUid, timeoutMs }: ConnectorOptions): buildConnector.connector {
    const resolve = callbackify(async (hostname: string) => {
      const addresses = await this.resolve(hostname, tenantUid)
      return addresses.map((address) => ({ address, family: isIP(address) }))
    })
    // A socket that may try several addresses (`autoSelectFamily`) asks for all of them.
    const lookup: LookupFunction = (hostname, _, callback) => resolve(hostname, callback)
    const connect = buildConnector({
      timeout: timeoutMs,
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    })
    return (target, callback) => {
      // A socket looks up names only: a literal address has to be judged here.
      if (isIP(target.hostname) !== 0 && !this.#isAllowed(target.hostname)) {
        const message = `${target.hostname}: this address is not allowed`
        callback(new ConnectFailureError('blocked_address', message), null)
        return
      }
      connect(target, (...result) => {
        const [error] = result
        if (error === null || target.protocol !== 'https:' || isFromSocket(error)) {
          callback(...result)
        } else {
          callback(new ConnectFailureError('tls_error', error.message, { cause: error }), null)
        }
      })
    }
  }
}

/** The host of a URL when it is an address; null when it is a name. */
function literalAddress({ hostname }: URL): string | null {
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(address) === 0 ? null : address
}

/**
 * Whether a failed connect is the network's doing. Certificates have two dozen error codes and OpenSSL
 * hundreds; errors of sockets are the system's (`ECONNREFUSED`), undici's or the guard's.
 */
function isFromSocket(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  return (
    error instanceof ConnectFailureError ||
    code.startsWith('UND_') ||
    (/^E[A-Z0-9]+$/.test(code) && code !== 'EPROTO')
  )
}

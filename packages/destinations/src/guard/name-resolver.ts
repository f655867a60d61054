import { readFileSync } from 'node:fs'
import { type DnsAnswer, LOOKUP_DEADLINE_MS, lookUp, type LookupOptions } from './dns-lookup.ts'
import { ConnectFailureError } from './failures.ts'
import { withoutFinalDot } from './host.ts'
import { hostsReader } from './hosts-file.ts'
import { LookupSlots } from './lookup-slots.ts'
import { parseSearchList, type SearchList } from './search-list.ts'

const MAX_CACHED_NAMES = 10_000

export interface NameResolverOptions {
  /** Name servers, `address[:port]`. Default: those of resolv.conf. */
  readonly servers?: readonly string[]
  /** Default /etc/hosts. */
  readonly hostsPath?: string
  /** Default /etc/resolv.conf; read once. */
  readonly resolvConfPath?: string
  /** A monotonic clock. Default: the process'. */
  readonly nowMs?: () => number
}

/** What a name leads to. */
export interface ResolvedName {
  /** IPv4 first; never empty. */
  readonly addresses: readonly string[]
  /** The operator says so himself (the hosts file), or everybody does (`localhost`): not DNS. */
  readonly isOperators: boolean
}

interface CachedName {
  readonly resolved: ResolvedName
  readonly expiresAtMs: number
}

/**
 * Resolves host names without the thread pool, in which a few dead names would hold up everybody's
 * lookups: `localhost` and the hosts file first, then DNS with the system's search list.
 *
 * Answers are kept for their TTL, at most a minute. Lookups of one name at a time are one lookup, in a
 * slot of the tenant who was first; the others join it without one. A tenant has two lookups in flight,
 * his others wait for a slot, and only while they wait can they not be joined. So nobody waits for
 * another tenant longer than for a lookup that has begun. Everything is over within 2 s.
 */
export class NameResolver {
  readonly #lookupOptions: LookupOptions
  readonly #hosts: ReturnType<typeof hostsReader>
  readonly #nowMs: () => number
  readonly #slots = new LookupSlots()
  readonly #cache = new Map<string, CachedName>()
  readonly #inFlight = new Map<string, Promise<ResolvedName>>()

  constructor(options: NameResolverOptions = {}) {
    this.#nowMs = options.nowMs ?? (() => performance.now())
    this.#hosts = hostsReader(options.hostsPath ?? '/etc/hosts', this.#nowMs)
    this.#lookupOptions = {
      servers: options.servers ?? null,
      searchList: readSearchList(options.resolvConfPath ?? '/etc/resolv.conf'),
    }
  }

  /**
   * What a name leads to.
   *
   * @param tenantUid - who asks
   * @throws {ConnectFailureError} `dns_error` when it has no address, or none could be found out in time
   */
  async resolve(hostname: string, tenantUid: string): Promise<ResolvedName> {
    const name = hostname.toLowerCase()
    const bare = withoutFinalDot(name)
    // RFC 6761: these names mean loopback, whatever a name server says.
    if (bare === 'localhost' || bare.endsWith('.localhost')) {
      return { addresses: ['127.0.0.1', '::1'], isOperators: true }
    }
    const fromHosts = this.#hosts().get(bare)
    if (fromHosts !== undefined) return { addresses: fromHosts, isOperators: true }
    return this.#known(name) ?? this.#askInTurn(name, tenantUid)
  }

  #known(name: string): ResolvedName | Promise<ResolvedName> | undefined {
    const cached = this.#cache.get(name)
    if (cached !== undefined && cached.expiresAtMs > this.#nowMs()) return cached.resolved
    return this.#inFlight.get(name)
  }

  /** One deadline over the waiting for a slot and the lookup, which goes on for those who join it. */
  async #askInTurn(name: string, tenantUid: string): Promise<ResolvedName> {
    const late = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        late.abort()
        reject(new ConnectFailureError('dns_error', `${name}: no answer in time`))
      }, LOOKUP_DEADLINE_MS)
    })
    try {
      return await Promise.race([this.#askInSlot(name, tenantUid, late.signal), expired])
    } finally {
      clearTimeout(timer)
    }
  }

  async #askInSlot(name: string, tenantUid: string, signal: AbortSignal): Promise<ResolvedName> {
    const giveBack = await this.#slots.take(tenantUid, signal)
    // Somebody may have asked while this one waited.
    const known = this.#known(name)
    if (known !== undefined) {
      giveBack()
      return known
    }
    const asking = this.#ask(name).finally(() => {
      this.#inFlight.delete(name)
      giveBack()
    })
    this.#inFlight.set(name, asking)
    return asking
  }

  async #ask(name: string): Promise<ResolvedName> {
    const answer = await lookUp(name, this.#lookupOptions)
    const resolved = { addresses: answer.addresses, isOperators: false }
    this.#keep(name, resolved, answer)
    return resolved
  }

  #keep(name: string, resolved: ResolvedName, { ttlMs }: DnsAnswer): void {
    this.#cache.delete(name)
    if (ttlMs === 0) return
    this.#cache.set(name, { resolved, expiresAtMs: this.#nowMs() + ttlMs })
    if (this.#cache.size <= MAX_CACHED_NAMES) return
    // A map keeps the order of insertion: the first is the one resolved longest ago.
    const [oldest] = this.#cache.keys()
    if (oldest !== undefined) this.#cache.delete(oldest)
  }
}

function readSearchList(path: string): SearchList {
  try {
    return parseSearchList(readFileSync(path, 'utf8'))
  } catch {
    // No resolv.conf, no search list: names are asked for as they stand.
    return parseSearchList('')
  }
}

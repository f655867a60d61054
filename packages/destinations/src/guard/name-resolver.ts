import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { ConnectFailureError } from './failures.ts'
import { hostsReader } from './hosts-file.ts'
import { candidateNames, parseSearchList, type SearchList } from './search-list.ts'

const DEADLINE_MS = 2000
const MAX_TTL_MS = 60_000
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

/**
 * Resolves host names without the thread pool, in which a few dead names would hold up everybody's
 * lookups: `localhost` and the hosts file first, then DNS through c-ares with the system's search list.
 *
 * Answers are kept for their TTL, at most a minute; lookups of one name at a time are one lookup. A
 * name that is not answered within 2 s fails.
 */
export class NameResolver {
  readonly #dns: Resolver
  readonly #searchList: SearchList
  readonly #hosts: ReturnType<typeof hostsReader>
  readonly #nowMs: () => number
  readonly #cache = new Map<string, Answer>()
  readonly #pending = new Map<string, Promise<Answer>>()

  constructor(options: NameResolverOptions = {}) {
    this.#nowMs = options.nowMs ?? (() => performance.now())
    this.#hosts = hostsReader(options.hostsPath ?? '/etc/hosts', this.#nowMs)
    this.#searchList = readSearchList(options.resolvConfPath ?? '/etc/resolv.conf')
    // Two tries fit into the deadline.
    this.#dns = new Resolver({ timeout: DEADLINE_MS / 2, tries: 2 })
    if (options.servers !== undefined) this.#dns.setServers(options.servers)
  }

  /**
   * The addresses of a name, IPv4 first; never empty.
   *
   * @param _tenantUid - who asks
   * @throws {ConnectFailureError} `dns_error` when it has none, or none could be found out in time
   */
  async resolve(hostname: string, _tenantUid: string): Promise<readonly string[]> {
    const name = hostname.toLowerCase()
    const bare = name.endsWith('.') ? name.slice(0, -1) : name
    // RFC 6761: these names mean loopback, whatever a name server says.
    if (bare === 'localhost' || bare.endsWith('.localhost')) return ['127.0.0.1', '::1']
    const fromHosts = this.#hosts().get(bare)
    if (fromHosts !== undefined) return fromHosts
    const cached = this.#cache.get(name)
    if (cached !== undefined && cached.expiresAtMs > this.#nowMs()) return cached.addresses
    return (await this.#askOnce(name)).addresses
  }

  async #askOnce(name: string): Promise<Answer> {
    const running = this.#pending.get(name)
    if (running !== undefined) return running
    const asking = this.#askInTime(name).finally(() => this.#pending.delete(name))
    this.#pending.set(name, asking)
    return asking
  }

  async #askInTime(name: string): Promise<Answer> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const error = new ConnectFailureError('dns_error', `${name}: no answer in ${DEADLINE_MS} ms`)
      timer = setTimeout(() => reject(error), DEADLINE_MS)
    })
    try {
      const answer = await Promise.race([this.#ask(name), late])
      this.#keep(name, answer)
      return answer
    } finally {
      clearTimeout(timer)
    }
  }

  async #ask(name: string): Promise<Answer> {
    let cause: unknown
    for (const candidate of candidateNames(name, this.#searchList)) {
      const [v4, v6] = await Promise.allSettled([
        this.#dns.resolve4(candidate, { ttl: true }),
        this.#dns.resolve6(candidate, { ttl: true }),
      ])
      const records = [v4, v6].flatMap((result) =>
        result.status === 'fulfilled' ? result.value : [],
      )
      if (records.length > 0) {
        const ttlMs = Math.min(MAX_TTL_MS, ...records.map((record) => record.ttl * 1000))
        return {
          addresses: records.map((record) => record.address),
          expiresAtMs: this.#nowMs() + ttlMs,
        }
      }
      if (v4.status === 'rejected') cause = v4.reason
    }
    throw new ConnectFailureError('dns_error', `${name}: no address found`, { cause })
  }

  #keep(name: string, answer: Answer): void {
    this.#cache.delete(name)
    this.#cache.set(name, answer)
    if (this.#cache.size <= MAX_CACHED_NAMES) return
    // A map keeps the order of insertion: the first is the one resolved longest ago.
    const [oldest] = this.#cache.keys()
    if (oldest !== undefined) this.#cache.delete(oldest)
  }
}

interface Answer {
  readonly addresses: readonly string[]
  readonly expiresAtMs: number
}

function readSearchList(path: string): SearchList {
  try {
    return parseSearchList(readFileSync(path, 'utf8'))
  } catch {
    // No resolv.conf, no search list: names are asked for as they stand.
    return parseSearchList('')
  }
}

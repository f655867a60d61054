import { type RecordWithTtl } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { ConnectFailureError } from './failures.ts'
import { candidateNames, type SearchList } from './search-list.ts'

/** A lookup ends by itself after this, whatever name servers do. */
export const LOOKUP_DEADLINE_MS = 2000

/**
 * Once addresses of one family are there, how long those of the other may take: some name servers never
 * answer questions for IPv6, and that must not make a healthy receiver unreachable.
 */
const OTHER_FAMILY_MS = 500

const MAX_TTL_MS = 60_000

/** No receiver has more; a name server can send thousands, and answers are kept. */
const MAX_ADDRESSES = 100

export interface LookupOptions {
  /** Name servers, `address[:port]`; null: those of the system. */
  readonly servers: readonly string[] | null
  readonly searchList: SearchList
}

export interface DnsAnswer {
  /** IPv4 first; never empty. */
  readonly addresses: readonly string[]
  /** How long the answer may be used again; 0: not at all. */
  readonly ttlMs: number
}

/**
 * Asks DNS for both families of addresses of a name, through c-ares. Each lookup has a channel of its
 * own, which opens a new port for it and can be cut: when a lookup has ended, nothing of it is under way.
 *
 * @throws {ConnectFailureError} `dns_error` when there are no addresses, or too many, or none in time
 */
export async function lookUp(
  name: string,
  { servers, searchList }: LookupOptions,
): Promise<DnsAnswer> {
  // Two tries fit into the deadline.
  const dns = new Resolver({ timeout: LOOKUP_DEADLINE_MS / 2, tries: 2 })
  if (servers !== null) dns.setServers(servers)
  let isLate = false
  const deadline = setTimeout(() => {
    isLate = true
    dns.cancel()
  }, LOOKUP_DEADLINE_MS)
  try {
    let cause: unknown
    for (const candidate of candidateNames(name, searchList)) {
      const found = await addressRecords(dns, candidate)
      if (found.records.length > MAX_ADDRESSES) {
        throw new ConnectFailureError('dns_error', `${name}: more than ${MAX_ADDRESSES} addresses`)
      }
      if (found.records.length > 0) return answerOf(found.records)
      cause = found.cause
      if (isLate) break
    }
    throw new ConnectFailureError('dns_error', `${name}: no address found`, { cause })
  } finally {
    clearTimeout(deadline)
  }
}

interface Found {
  readonly records: readonly RecordWithTtl[]
  /** Why there is none of the first family. */
  readonly cause: unknown
}

async function addressRecords(dns: Resolver, name: string): Promise<Found> {
  const families = [dns.resolve4(name, { ttl: true }), dns.resolve6(name, { ttl: true })]
  await Promise.any(families).catch(() => undefined)
  const cut = setTimeout(() => dns.cancel(), OTHER_FAMILY_MS)
  const settled = await Promise.allSettled(families)
  clearTimeout(cut)
  const failure = settled.find((result) => result.status === 'rejected')
  return {
    records: settled.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])),
    cause: failure?.reason,
  }
}

function answerOf(records: readonly RecordWithTtl[]): DnsAnswer {
  const ttlMs = Math.min(MAX_TTL_MS, ...records.map((record) => record.ttl * 1000))
  return {
    addresses: records.map((record) => record.address),
    // RFC 2181: a TTL that looks negative is zero.
    ttlMs: Math.max(0, ttlMs),
  }
}

import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'

const REREAD_AFTER_MS = 30_000

/** Addresses by host name in lower case, as in /etc/hosts. */
export type HostsFile = ReadonlyMap<string, readonly string[]>

/** The names of a hosts file; lines that are not understood are passed over, as the system does. */
export function parseHosts(text: string): HostsFile {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (address === undefined || isIP(address) === 0) continue
    for (const name of names.map((each) => each.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), address])
    }
  }
  return hosts
}

/**
 * Reads a hosts file again when what was read is half a minute old, because operators edit it. It is
 * read synchronously: it is tiny, and the thread pool is where slow disks and name lookups of others
 * would hold it up. A file that cannot be read has no names.
 *
 * @param nowMs - a monotonic clock
 */
export function hostsReader(path: string, nowMs: () => number): () => HostsFile {
  let hosts: HostsFile = new Map()
  let readAtMs = Number.NEGATIVE_INFINITY
  return () => {
    if (nowMs() - readAtMs < REREAD_AFTER_MS) return hosts
    readAtMs = nowMs()
    try {
      hosts = parseHosts(readFileSync(path, 'utf8'))
    } catch {
      hosts = new Map()
    }
    return hosts
  }
}

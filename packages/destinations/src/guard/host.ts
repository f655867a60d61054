import { isIP } from 'node:net'
import { parseUrl } from '../parse-url.ts'

/** What a tenant calls a machine: an address in its one canonical form, or a name. */
export type Host =
  | { readonly kind: 'address'; readonly address: string }
  /** Lower case, ASCII, with the final dot if it was given one; no part of it is empty. */
  | { readonly kind: 'name'; readonly name: string }

/** Nothing in here ends a host or adds a user name, so that the whole text is the host of the URL. */
const HOST_TEXT = /^(?:\[[^\]]*\]|[^\s:/?#@[\]\\]+)$/

/**
 * Reads a host the way the WHATWG URL does, so that nobody downstream can understand it differently:
 * all spellings of an address are one (`2130706433`, `0x7f.1`, `１２７。0。0。1`, `[::ffff:7f00:1]`),
 * and names are what DNS is asked for. Null: the text is no host.
 *
 * @param text - as in a URL, or a bare address
 */
export function readHost(text: string): Host | null {
  // A zone (`fe80::1%eth0`) is part of an address that sockets understand, and URLs do not.
  if (isIP(text) !== 0) return { kind: 'address', address: text }
  const url = HOST_TEXT.test(text) ? parseUrl(`http://${text}`) : null
  return url === null ? null : hostOf(url)
}

/** The host of a URL of a scheme that has one. Null: it has none that DNS could know. */
export function hostOf({ hostname }: URL): Host | null {
  const address = withoutBrackets(hostname)
  if (isIP(address) !== 0) return { kind: 'address', address }
  return withoutFinalDot(hostname).split('.').includes('') ? null : { kind: 'name', name: hostname }
}

/** The host of a URL as sockets take it: an IPv6 address goes without its brackets. */
export function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** A bare address as URLs have it: IPv6 goes in brackets. */
export function inBrackets(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address
}

/** A name as it is called: the final dot only says that no search list applies. */
export function withoutFinalDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name
}

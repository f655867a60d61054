import type { AddressGuard } from './guard/address-guard.ts'
import { parseUrl } from './parse-url.ts'

/** What URL parsers pass over and people misread: `https://example.com:@evil.test`, `http://@evil.test`. */
const EMPTY_USER = /^[^/\\?#]*[/\\]+[^/\\?#]*@/

/**
 * Faults of a URL that we are to send to, each a sentence that starts with the path of its field. A
 * literal address is judged here; a name is judged when it is connected to.
 */
export function httpUrlFaults(path: string, text: string, guard: AddressGuard): string[] {
  const url = parseUrl(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return [`${path} must be an http or https URL`]
  }
  if (url.username !== '' || url.password !== '' || EMPTY_USER.test(text)) {
    return [`${path} must not contain a user name or password`]
  }
  if (url.port === '0') return [`${path} must have a port from 1 to 65535`]
  return addressFaults(path, url, guard)
}

/** Faults of the base URL of a service, to which paths are added: no query, no fragment. */
export function endpointFaults(
  path: string,
  text: string | undefined,
  guard: AddressGuard,
): string[] {
  if (text === undefined) return []
  const faults = httpUrlFaults(path, text, guard)
  if (faults.length > 0) return faults
  return /[?#]/.test(text) ? [`${path} must not contain a query or a fragment`] : []
}

/** The fault of a URL whose host is a literal address that is refused. */
export function addressFaults(path: string, url: URL, guard: AddressGuard): string[] {
  return guard.judgeLiteral(url) ? [] : [`${path} points to an address that is not allowed`]
}

/**
 * The forward proxy cannot be used: the operator's to mend, and nothing that a destination did. The
 * message names the proxy without its password.
 */
export class ProxyFaultError extends Error {
  override readonly name = 'ProxyFaultError'
  readonly code = 'proxy_fault'
}

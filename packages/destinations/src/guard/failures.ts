/** A connection that the guard refused, or that could not be made or used; `code` is a documented failure code. */
export class ConnectFailureError extends Error {
  override readonly name = 'ConnectFailureError'
  readonly code:
    | 'blocked_address'
    | 'dns_error'
    | 'tls_error'
    | 'network_unreachable'
    | 'timeout'
    | 'protocol_error'

  constructor(code: ConnectFailureError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

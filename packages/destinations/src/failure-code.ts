/** Codes of tries that got no answer. */
export type FailureCode =
  | 'dns_error'
  | 'connection_refused'
  | 'connection_reset'
  | 'network_unreachable'
  | 'timeout'
  | 'tls_error'
  | 'blocked_address'
  | 'protocol_error'
  | 'network_error'
  | 'unsendable'
  | 'https_required'

const CODES: Readonly<Record<string, FailureCode>> = {
  blocked_address: 'blocked_address',
  dns_error: 'dns_error',
  tls_error: 'tls_error',
  network_unreachable: 'network_unreachable',
  timeout: 'timeout',
  protocol_error: 'protocol_error',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  ENETUNREACH: 'network_unreachable',
  EHOSTUNREACH: 'network_unreachable',
  ENETDOWN: 'network_unreachable',
  EHOSTDOWN: 'network_unreachable',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  EPROTO: 'tls_error',
  UND_ERR_HEADERS_OVERFLOW: 'protocol_error',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol_error',
  UND_ERR_INVALID_ARG: 'unsendable',
  UND_ERR_NOT_SUPPORTED: 'unsendable',
}

/**
 * Out of files, ports or memory, behind a forward proxy that is away, or stopped: nothing that the
 * receiver or the tenant did.
 */
const OURS: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
  'EADDRNOTAVAIL',
  'proxy_fault',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
])

/** The code of a try that ended with this error and no answer; null when the fault is ours. */
export function failureCode(error: Error): FailureCode | null {
  const code = errorCode(error)
  if (OURS.has(code)) return null
  // undici's one code for "the other side closed" and for answers such as an unasked 101.
  if (code === 'UND_ERR_SOCKET') {
    return error.message.endsWith('closed') ? 'connection_reset' : 'protocol_error'
  }
  // undici's parser errors do not all have a code.
  if (error.name === 'HTTPParserError') return 'protocol_error'
  // Those of Node's own parser do.
  if (code.startsWith('HPE_')) return 'protocol_error'
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'tls_error'
  return CODES[code] ?? 'network_error'
}

/** The code that an error of Node or undici carries; empty without one. */
export function errorCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

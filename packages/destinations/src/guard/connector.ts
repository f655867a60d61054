import { isIP } from 'node:net'
import type { SecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import type { AddressGuard } from './address-guard.ts'
import { ConnectFailureError } from './failures.ts'
import { guardedSockets } from './socket-options.ts'

export interface ConnectorOptions {
  /** Whose connections they are. */
  readonly tenantUid: string
  /** For TCP and TLS together. */
  readonly timeoutMs: number
  /** Default: TLS 1.2 and later, and what Node trusts. */
  readonly secureContext?: SecureContext
}

/**
 * A connector for undici, for one tenant. TLS and the Host header keep the name; the socket gets a
 * judged address.
 */
export function guardedConnector(
  guard: AddressGuard,
  options: ConnectorOptions,
): buildConnector.connector {
  const connect = tlsConnector(options, guardedSockets(guard, options.tenantUid))
  return (target, callback) => {
    // A socket looks up names only: a literal address has to be judged here.
    if (isIP(target.hostname) !== 0 && !guard.judge(target.hostname)) {
      const message = `${target.hostname}: this address is not allowed`
      callback(new ConnectFailureError('blocked_address', message), null)
      return
    }
    connect(target, callback)
  }
}

/**
 * A connector that tells failures of TLS from those of the network, and judges no address by itself:
 * for sockets that are connected already, or that get a `lookup` which does.
 */
export function tlsConnector(
  { timeoutMs, secureContext }: ConnectorOptions,
  socketOptions: buildConnector.BuildOptions = {},
): buildConnector.connector {
  const connect = buildConnector({
    ...socketOptions,
    timeout: timeoutMs,
    minVersion: 'TLSv1.2',
    ...(secureContext === undefined ? {} : { secureContext }),
  })
  return (target, callback) => {
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

import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { AddressGuard } from './address-guard.ts'
import { operatorsOnly } from './operators-only.ts'
import { socketsTo } from './socket-options.ts'

/** Where a socket is to go. */
export interface SocketTarget {
  /** A name or a bare address. */
  readonly hostname: string
  readonly port: number
  readonly isTls: boolean
  /** Who asks. */
  readonly tenantUid: string
}

export interface OpenSocketOptions {
  /** Gives up while it connects, and destroys the socket, with an error, at any later moment of its life. */
  readonly cut: AbortSignal
  /** Without TLS it goes only to networks that the operator has named. */
  readonly isPlainForOperatorsOnly: boolean
}

/**
 * A connected socket to an address that the guard lets through; over TLS the certificate is verified for
 * the name. The caller destroys it.
 *
 * @throws {ConnectFailureError} As the guard does
 * @throws What Node says of a connection that could not be made
 */
export async function openSocket(
  guard: AddressGuard,
  { hostname, port, isTls, tenantUid }: SocketTarget,
  { cut, isPlainForOperatorsOnly }: OpenSocketOptions,
): Promise<Socket> {
  const addresses = await guard.resolve(hostname, tenantUid)
  if (!isTls && isPlainForOperatorsOnly) operatorsOnly(guard, hostname, addresses)
  cut.throwIfAborted()
  const options = { ...socketsTo(addresses), host: hostname, port, noDelay: true }
  const socket = isTls
    ? connectTls({ ...options, servername: isIP(hostname) === 0 ? hostname : '' })
    : connectTcp(options)
  // Whoever uses the socket listens for himself; without a listener an error would end the process.
  socket.on('error', () => undefined)
  // With an error: some libraries end their timers for nothing less.
  cut.addEventListener('abort', () => socket.destroy(new Error('given up')), { once: true })
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal: cut })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

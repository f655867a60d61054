import { once } from 'node:events'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type AddressGuard, NEXT_ADDRESS_AFTER_MS } from './address-guard.ts'
import { operatorsOnly } from './operators-only.ts'

/** Where a socket is to go. */
export interface SocketTarget {
  /** A name or a bare address. */
  readonly hostname: string
  readonly port: number
  /** False: in the clear, and then only to networks that the operator has named. */
  readonly isTls: boolean
  /** Who asks. */
  readonly tenantUid: string
}

/**
 * A connected socket to an address that the guard lets through; over TLS the certificate is verified for
 * the name. The caller destroys it.
 *
 * @param cut - gives up while it connects, and destroys it at any later moment of its life
 * @throws {ConnectFailureError} As the guard does
 * @throws What Node says of a connection that could not be made
 */
export async function openSocket(
  guard: AddressGuard,
  { hostname, port, isTls, tenantUid }: SocketTarget,
  cut: AbortSignal,
): Promise<Socket> {
  const addresses = await guard.resolve(hostname, tenantUid)
  const judged = isTls ? addresses : operatorsOnly(guard, hostname, addresses)
  cut.throwIfAborted()
  const options = {
    host: hostname,
    port,
    lookup: lookupOf(judged),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    noDelay: true,
  }
  const socket = isTls
    ? connectTls({ ...options, servername: isIP(hostname) === 0 ? hostname : '' })
    : connectTcp(options)
  // Whoever uses the socket listens for himself; without a listener an error would end the process.
  socket.on('error', () => undefined)
  cut.addEventListener('abort', () => socket.destroy(), { once: true })
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal: cut })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** A socket that may try several addresses asks for all of them; a literal one is not looked up. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_, __, callback) => callback(null, all)
}

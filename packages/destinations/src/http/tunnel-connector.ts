import type { Socket } from 'node:net'
import { callbackify } from 'node:util'
import type { buildConnector } from 'undici'
import type { AddressGuard } from '../guard/address-guard.ts'
import { type ConnectorOptions, tlsConnector } from '../guard/connector.ts'
import { ConnectFailureError } from '../guard/failures.ts'
import type { ForwardProxy } from './forward-proxy.ts'
import { portOf } from './port-of.ts'

/** Of a host with many addresses, how many the proxy is asked for. */
const MAX_ADDRESSES = 3

/**
 * A connector for undici, for one tenant, through the forward proxy. Names are resolved and judged
 * here, and the proxy is asked for a judged address; TLS and the Host header keep the name.
 */
export function tunnelConnector(
  guard: AddressGuard,
  proxy: ForwardProxy,
  options: ConnectorOptions,
): buildConnector.connector {
  const startTls = tlsConnector(options)
  const open = callbackify(async (target: buildConnector.Options) => {
    const addresses = await guard.resolve(target.hostname, options.tenantUid)
    return firstTunnel(proxy, addresses.slice(0, MAX_ADDRESSES), portOf(target))
  })
  return (target, callback) => {
    open(target, (error, socket) => {
      if (error !== null) callback(error, null)
      else if (target.protocol === 'https:') startTls({ ...target, httpSocket: socket }, callback)
      else callback(null, socket)
    })
  }
}

/** The addresses are tried one after the other: only the proxy knows which of them it can reach. */
async function firstTunnel(
  proxy: ForwardProxy,
  [address = '', ...others]: readonly string[],
  port: number,
): Promise<Socket> {
  try {
    return await proxy.tunnel(address, port)
  } catch (error) {
    if (others.length === 0 || !(error instanceof ConnectFailureError)) throw error
    return firstTunnel(proxy, others, port)
  }
}

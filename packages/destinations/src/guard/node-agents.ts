import { Agent, type ClientRequest } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { KEEP_ALIVE_MS, MAX_INFORMATIONAL } from '../connection-limits.ts'
import type { AddressGuard } from './address-guard.ts'
import { ConnectFailureError } from './failures.ts'
import { guardedSockets } from './socket-options.ts'

export interface GuardedAgentOptions {
  /** Connections to one origin at once; requests beyond it wait. */
  readonly maxSockets: number
}

/** Agents of node:http and node:https; whoever made them destroys them. */
export interface GuardedAgents {
  readonly httpAgent: Agent
  readonly httpsAgent: TlsAgent
}

/**
 * Agents whose connections go to judged addresses only, for libraries that speak HTTP through Node's own
 * client. TLS and the Host header keep the name.
 *
 * A refused or unresolved host is an error of the request: a {@link ConnectFailureError}.
 */
export function guardedAgents(
  guard: AddressGuard,
  tenantUid: string,
  { maxSockets }: GuardedAgentOptions,
): GuardedAgents {
  const options = {
    keepAlive: true,
    maxSockets,
    timeout: KEEP_ALIVE_MS,
    ...guardedSockets(guard, tenantUid),
  }
  return {
    httpAgent: bounded(judged(new Agent(options), guard)),
    httpsAgent: bounded(judged(new TlsAgent(options), guard)),
  }
}

/** `agent.createConnection(options, callback)` is documented; the types of Node 20 leave it out. */
interface Connecting {
  createConnection: (
    options: { readonly host?: string | null },
    callback: (error: Error) => void,
  ) => Duplex | undefined
}

/** Has an agent ask about literal addresses, for which there is no lookup. */
function judged<A extends Agent>(agent: A, guard: AddressGuard): A {
  const connecting = agent as A & Connecting
  const connect = connecting.createConnection.bind(agent)
  connecting.createConnection = (options, callback) => {
    const host = options.host ?? ''
    if (isIP(host) === 0 || guard.judge(host)) return connect(options, callback)
    callback(new ConnectFailureError('blocked_address', `${host}: this address is not allowed`))
    return undefined
  }
  return agent
}

/** Every agent has it, and every request goes through it; neither documentation nor types tell. */
interface Taking {
  addRequest: (request: ClientRequest, ...rest: readonly unknown[]) => void
}

/** Has an agent give up on a server that answers 1xx again and again. */
function bounded<A extends Agent>(agent: A): A {
  const taking = agent as A & Taking
  const add = taking.addRequest.bind(agent)
  taking.addRequest = (request, ...rest) => {
    let informational = 0
    request.on('information', () => {
      informational += 1
      if (informational <= MAX_INFORMATIONAL) return
      request.destroy(new ConnectFailureError('protocol_error', 'too many informational answers'))
    })
    add(request, ...rest)
  }
  return agent
}

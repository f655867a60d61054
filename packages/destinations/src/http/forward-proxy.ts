import { type IncomingMessage, request as httpRequest } from 'node:http'
import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { ConnectFailureError } from '../guard/failures.ts'
import { inBrackets, withoutBrackets } from '../guard/host.ts'
import { NameResolver } from '../guard/name-resolver.ts'
import { lookupOf } from '../guard/socket-options.ts'
import { portOf } from './port-of.ts'
import { ProxyFaultError } from './proxy-fault-error.ts'

/** A proxy is near; one that takes longer is away. */
const MAX_CONNECT_TIMEOUT_MS = 2000

/** What a proxy says of the target, and not of itself or of us. */
const TARGET_STATUSES: Readonly<Record<number, 'network_unreachable' | 'timeout'>> = {
  502: 'network_unreachable',
  503: 'network_unreachable',
  504: 'timeout',
}

export interface ForwardProxyOptions {
  /** http or https, with user name and password if the proxy wants them. */
  readonly url: string
  /** What a delivery may take; the proxy itself has less than half of it. */
  readonly timeoutMs: number
  /** For proxies that speak TLS. */
  readonly secureContext: SecureContext
}

/**
 * The operator's forward proxy, which is asked for tunnels (CONNECT) and for nothing else: plain HTTP
 * goes through a tunnel, too, so that the proxy never resolves a name. Its own address is not a
 * tenant's choice and does not go through the address guard.
 */
export class ForwardProxy {
  readonly #name: string
  readonly #isTls: boolean
  readonly #endpoint: TcpNetConnectOpts & { readonly host: string }
  readonly #authorization: string | null
  readonly #secureContext: SecureContext
  readonly #connectTimeoutMs: number
  readonly #answerTimeoutMs: number

  constructor({ url, timeoutMs, secureContext }: ForwardProxyOptions) {
    const proxy = new URL(url)
    const { protocol, host, hostname, username, password } = proxy
    const resolver = new NameResolver()
    this.#name = `the forward proxy ${host}`
    this.#isTls = protocol === 'https:'
    this.#endpoint = {
      host: withoutBrackets(hostname),
      port: portOf(proxy),
      // Resolves like the guard does, without its judgement: not in the thread pool.
      lookup: lookupOf(async (name) => (await resolver.resolve(name, 'operator')).addresses),
      autoSelectFamily: true,
    }
    this.#authorization =
      username === '' && password === '' ? null : basicAuthorization(username, password)
    this.#secureContext = secureContext
    // Well before the deadline of the request that waits: a proxy that hangs is to be told from a
    // target that does.
    this.#connectTimeoutMs = Math.min(timeoutMs * 0.4, MAX_CONNECT_TIMEOUT_MS)
    this.#answerTimeoutMs = timeoutMs
  }

  /**
   * A connection to an address through the proxy.
   *
   * @throws {ProxyFaultError} When the proxy cannot be reached, or refuses for reasons of its own
   * @throws {ConnectFailureError} When the proxy cannot reach the address, or does not answer in time
   */
  async tunnel(address: string, port: number): Promise<Socket> {
    const socket = await this.#dial()
    const authority = `${inBrackets(address)}:${port}`
    const headers: Record<string, string> = { host: authority }
    if (this.#authorization !== null) headers['proxy-authorization'] = this.#authorization
    return new Promise((resolve, reject) => {
      const request = httpRequest({
        createConnection: () => socket,
        method: 'CONNECT',
        path: authority,
        headers,
      })
      const fail = (error: Error): void => {
        clearTimeout(timer)
        reject(error)
        socket.destroy()
      }
      const timer = setTimeout(() => {
        fail(new ConnectFailureError('timeout', `${this.#name} did not answer CONNECT`))
      }, this.#answerTimeoutMs)
      request.on('error', (cause) => {
        fail(new ProxyFaultError(`${this.#name} broke off a CONNECT: ${cause.message}`, { cause }))
      })
      request.on('connect', (response: IncomingMessage, _: unknown, head: Buffer) => {
        const { statusCode: status = 0 } = response
        if (status >= 200 && status < 300) {
          clearTimeout(timer)
          if (head.length > 0) socket.unshift(head)
          resolve(socket)
        } else {
          fail(this.#refusal(status))
        }
      })
      request.end()
    })
  }

  #refusal(status: number): Error {
    const message = `${this.#name} answered CONNECT with ${status}`
    const code = TARGET_STATUSES[status]
    return code === undefined
      ? new ProxyFaultError(message)
      : new ConnectFailureError(code, message)
  }

  async #dial(): Promise<Socket> {
    const { host } = this.#endpoint
    const socket = this.#isTls
      ? connectTls({
          ...this.#endpoint,
          secureContext: this.#secureContext,
          ALPNProtocols: ['http/1.1'],
          ...(isIP(host) === 0 ? { servername: host } : {}),
        })
      : connectTcp(this.#endpoint)
    socket.setNoDelay(true).setKeepAlive(true, 60_000)
    return new Promise((resolve, reject) => {
      const fail = (message: string, cause?: Error): void => {
        clearTimeout(timer)
        reject(new ProxyFaultError(`${this.#name} cannot be reached: ${message}`, { cause }))
        socket.destroy()
      }
      const timer = setTimeout(() => {
        fail(`no connection in ${this.#connectTimeoutMs} ms`)
      }, this.#connectTimeoutMs)
      // Stays for good: whoever gets the socket has listeners of his own, but not at once.
      socket.on('error', (error) => fail(error.message, error))
      socket.once(this.#isTls ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer)
        resolve(socket)
      })
    })
  }
}

function basicAuthorization(username: string, password: string): string {
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(text).toString('base64')}`
}

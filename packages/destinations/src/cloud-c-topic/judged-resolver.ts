import { isIPv6 } from 'node:net'
import type { ChannelOptions, experimental } from '@grpc/grpc-js'
import type * as Grpc from '@grpc/grpc-js'

/** The option of a channel that holds its addresses; gRPC hands on what begins like this. */
export const JUDGED_ADDRESSES = 'grpc-node.judged_addresses'

/** The scheme of targets whose addresses are given with the channel. */
const SCHEME = 'judged'

/** An address to connect to: gRPC gives it to `net.connect` as it is. */
export interface JudgedAddress {
  readonly host: string
  readonly port: number
  /** Destroys the socket at any moment of its life, which gRPC by itself would wait for. */
  readonly signal: AbortSignal
  /** The connection takes no more calls; those under way go on, unless it is closed. */
  readonly onClosing: () => void
}

/** A host as a service path of the SDK, which makes a target of it and of the port. */
export function judgedServicePath(hostname: string): string {
  return `${SCHEME}:///${isIPv6(hostname) ? `[${hostname}]` : hostname}`
}

/**
 * Teaches gRPC to connect to addresses that have been judged, under the name that was asked for. Its own
 * resolver would look the name up again, and again on every new connection.
 */
export function registerJudgedResolver({ experimental: grpc }: typeof Grpc): void {
  grpc.registerResolver(
    SCHEME,
    class implements experimental.Resolver {
      readonly #listener: experimental.ResolverListener
      readonly #addresses: readonly JudgedAddress[]
      #isTold = false

      constructor(
        _target: experimental.GrpcUri,
        listener: experimental.ResolverListener,
        options: ChannelOptions,
      ) {
        this.#listener = listener
        // Options are of any type; this one is ours.
        this.#addresses = options[JUDGED_ADDRESSES] as readonly JudgedAddress[]
      }

      /** The name is that of certificates and of HTTP. */
      static getDefaultAuthority({ path }: experimental.GrpcUri): string {
        return path
      }

      updateResolution(): void {
        // Told again of an address that refuses it, gRPC would ask again at once, and keep on for ever
        // without letting anything else happen.
        if (this.#isTold) return
        this.#isTold = true
        const endpoints = this.#addresses.map((address) => ({ addresses: [address] }))
        // gRPC expects it later than its question.
        process.nextTick(() => this.#listener(grpc.statusOrFromValue(endpoints), {}, null, ''))
      }

      /** An idle channel is destroyed so, and asks once more when it is used again. */
      destroy(): void {
        this.#isTold = false
      }
    },
  )
}

import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { type Direction, FaultLane, type Faults } from './fault-lane.ts'

export interface FaultProxyTarget {
  /** Default 127.0.0.1. */
  readonly host?: string
  readonly port: number
}

export interface CutOptions {
  /**
   * Let the matching bytes through and cut when the other side answers: it has acted on them, and its
   * answer is lost. Default false.
   */
  readonly forward?: boolean
  /** Cut at the n-th match. Default 1. */
  readonly times?: number
}

/**
 * A TCP proxy on 127.0.0.1 that misbehaves on demand. Faults hold until they are taken back; `up` is
 * from the client to the server, `down` the way back.
 */
export interface FaultProxy {
  readonly host: string
  readonly port: number
  /** Connections accepted since the start. */
  readonly accepted: number
  /** Connections that are open now. */
  readonly open: number
  /** Cuts every open connection: by reset (default), or by an orderly end of both sides. */
  cutAll(how?: 'reset' | 'end'): void
  /** Stops listening and cuts everything: connecting is refused until `up`. */
  down(): Promise<void>
  /** Listens again, on the same port. */
  up(): Promise<void>
  /** New connections are accepted and then ignored; open ones keep working. */
  blackhole(on: boolean): void
  /** Holds back what travels in this direction, on open and new connections; false lets it go on. */
  stall(direction: Direction, on: boolean): void
  /** Delays every piece in both directions. */
  latency(delayMs: number): void
  /**
   * Cuts the connection on which these bytes come along. `cutWhen('up', 'COMMIT', { forward: true })`:
   * the commit happened, and its answer was lost.
   *
   * @returns A promise of the cut
   */
  cutWhen(direction: Direction, bytes: string | Buffer, options?: CutOptions): Promise<void>
  /** Cuts everything and stops listening. Idempotent. */
  stop(): Promise<void>
}

/** Starts a proxy in front of a server; whoever starts it stops it. */
export async function startFaultProxy(target: FaultProxyTarget): Promise<FaultProxy> {
  const host = '127.0.0.1'
  const pairs = new Set<Pair>()
  const faults: Faults = {
    blackhole: false,
    latencyMs: 0,
    stalled: { up: false, down: false },
    match: null,
  }
  let accepted = 0

  const server = createServer({ allowHalfOpen: true }, (client) => {
    accepted++
    const pair = new Pair(client, target, faults)
    pairs.add(pair)
    pair.onClosed = () => pairs.delete(pair)
  })
  const cutAll = (how: 'reset' | 'end' = 'reset'): void => {
    for (const pair of pairs) pair.cut(how)
  }
  const down = async (): Promise<void> => {
    if (!server.listening) return
    const closed = new Promise((resolve) => server.close(resolve))
    cutAll()
    await closed
  }
  const port = await listen(server, host, 0)

  return {
    host,
    port,
    get accepted() {
      return accepted
    },
    get open() {
      return pairs.size
    },
    cutAll,
    down,
    up: async () => void (await listen(server, host, port)),
    blackhole: (on) => void (faults.blackhole = on),
    stall(direction, on) {
      faults.stalled[direction] = on
      for (const pair of pairs) pair.lanes?.[direction].flush()
    },
    latency: (delayMs) => void (faults.latencyMs = delayMs),
    cutWhen: (direction, bytes, { forward = false, times = 1 } = {}) =>
      new Promise((resolve) => {
        faults.match = {
          direction,
          bytes: Buffer.from(bytes),
          forward,
          times,
          onCut: resolve,
        }
      }),
    stop: down,
  }
}

/** A client's connection and the one made for it to the server. */
class Pair {
  readonly lanes: Readonly<Record<Direction, FaultLane>> | null
  onClosed: () => void = () => undefined
  readonly #client: Socket
  readonly #upstream: Socket | null

  constructor(client: Socket, target: FaultProxyTarget, faults: Faults) {
    this.#client = client
    this.#watch(client)
    if (faults.blackhole) {
      this.#upstream = null
      this.lanes = null
      client.resume()
      return
    }
    const { host = '127.0.0.1', port } = target
    const upstream = connect({ host, port, allowHalfOpen: true })
    this.#watch(upstream)
    client.setNoDelay()
    upstream.setNoDelay()
    this.#upstream = upstream
    const cut = (): void => this.cut('reset')
    this.lanes = {
      up: new FaultLane({ direction: 'up', from: client, to: upstream, faults, cut }),
      down: new FaultLane({ direction: 'down', from: upstream, to: client, faults, cut }),
    }
  }

  /** A broken side breaks the other; a side that ended in order leaves the other to its lane. */
  #watch(socket: Socket): void {
    socket.on('error', () => this.cut('reset'))
    socket.on('close', () => {
      if (!socket.readableEnded) this.cut('reset')
      else if (this.#client.destroyed && this.#upstream?.destroyed !== false) this.onClosed()
    })
  }

  cut(how: 'reset' | 'end'): void {
    this.onClosed()
    for (const socket of [this.#client, this.#upstream]) {
      if (socket === null || socket.destroyed) continue
      if (how === 'end') socket.end()
      // A socket whose shutdown is under way cannot be reset: libuv refuses, and Node then never closes
      // its handle, which keeps the process alive and spins at its exit.
      else if (socket.connecting || socket.writableEnded) socket.destroy()
      else socket.resetAndDestroy()
    }
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  // A TCP server that listens has an AddressInfo; the other forms are for pipes.
  return (server.address() as AddressInfo).port
}

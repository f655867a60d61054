import { type AddressInfo, createServer, type Socket } from 'node:net'
import { BODY_FAULTS } from './body-faults.ts'
import { CONNECTION_FAULTS } from './connection-faults.ts'
import { HEAD_FAULTS } from './head-faults.ts'
import { TLS_FAULTS } from './tls-faults.ts'

const FAULTS = { ...CONNECTION_FAULTS, ...HEAD_FAULTS, ...BODY_FAULTS, ...TLS_FAULTS }

/** A connection on which nothing happens for so long is cut; longer than tests let their sends take. */
const GIVE_UP_MS = 5000

/** What a broken receiver does wrong; the tables say how, byte for byte. */
export type BrokenFault = keyof typeof FAULTS

export const BROKEN_FAULTS = Object.keys(FAULTS) as readonly BrokenFault[]

/** A raw TCP server on 127.0.0.1 that has one fault and nothing else. */
export interface BrokenReceiver {
  /** https when the fault is one of TLS. */
  readonly url: string
  /** Connections accepted since the start. */
  readonly connections: number
  /** Connections that are open now. */
  readonly openConnections: number
  /** Cuts every connection and stops listening. */
  stop(): Promise<void>
}

/** Starts a broken receiver; whoever starts it stops it. */
export async function startBrokenReceiver(fault: BrokenFault): Promise<BrokenReceiver> {
  const misbehave = FAULTS[fault]
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // The client may give up at any point; that is what is being tested.
    socket.on('error', () => undefined)
    // With half-open connections nobody answers the client's end but us.
    socket.on('end', () => socket.end())
    // One that does not read would never notice that the client has gone.
    socket.setTimeout(GIVE_UP_MS, () => socket.destroy())
    misbehave(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  // A TCP server that listens has an AddressInfo; the other forms are for pipes.
  const { port } = server.address() as AddressInfo
  return {
    url: `${fault in TLS_FAULTS ? 'https' : 'http'}://127.0.0.1:${port}`,
    get connections() {
      return connections
    },
    get openConnections() {
      return sockets.size
    },
    stop: async () => {
      await new Promise((resolve) => {
        server.close(resolve)
        for (const socket of sockets) socket.destroy()
      })
    },
  }
}

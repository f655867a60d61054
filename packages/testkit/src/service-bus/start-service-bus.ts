import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { type BusMessage, BusServer } from './bus-server.ts'
import type { BusFault, BusPoint } from './faults.ts'
import type { AccessKey } from './sas-token.ts'

export interface ServiceBusOptions {
  /** The queues that there are. */
  readonly queues: readonly string[]
  /** The limit that it names when a link is opened. Default 262 144, as in the Standard tier. */
  readonly maxMessageBytes?: number
}

/**
 * A local Azure Service Bus on 127.0.0.1, as far as sending needs it: queues, signed tokens, links that
 * send, and links that receive and delete. It speaks AMQP 1.0 without TLS, like Azure's own emulator.
 */
export interface ServiceBus {
  readonly port: number
  /** With a key that is accepted. */
  readonly connectionString: string
  /** All messages that were taken, in order. */
  readonly received: readonly BusMessage[]
  /** Connections accepted since the start. */
  readonly connections: number
  /** Connections that are open now. */
  readonly open: number
  /** A connection string to this server, with another key or for another port. */
  connectionStringWith(changes: Partial<AccessKey> & { readonly port?: number }): string
  /** The next times something comes to this point, it goes wrong. Default: once. */
  fail(at: BusPoint, fault: BusFault, times?: number): void
  /** Ends every connection without a word. */
  cutAll(): void
  /** Cuts everything and stops listening. Idempotent. */
  stop(): Promise<void>
}

const HOST = '127.0.0.1'
const KEY: AccessKey = { name: 'send', key: 'c2VjcmV0IG9mIHRoZSBsb2NhbCBTZXJ2aWNlIEJ1cw==' }
const MAX_MESSAGE_BYTES = 256 * 1024

/** Starts a local Service Bus; whoever starts it stops it. */
export async function startServiceBus({
  queues,
  maxMessageBytes = MAX_MESSAGE_BYTES,
}: ServiceBusOptions): Promise<ServiceBus> {
  const bus = new BusServer(queues, KEY)
  const sockets = new Set<Socket>()
  let connections = 0
  const server = bus.container.listen({
    host: HOST,
    port: 0,
    // Messages are answered one by one; what is received from here is gone.
    receiver_options: { autoaccept: false, max_message_size: maxMessageBytes },
    sender_options: { snd_settle_mode: 1 },
  })
  server.on('connection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.setNoDelay()
    socket.on('close', () => sockets.delete(socket))
  })
  await once(server, 'listening')
  // A TCP server that listens has an AddressInfo; the other forms are for pipes.
  const { port } = server.address() as AddressInfo
  const connectionStringWith: ServiceBus['connectionStringWith'] = (changes) => {
    const { name, key, port: at } = { ...KEY, port, ...changes }
    const endpoint = `Endpoint=sb://${HOST}:${at}`
    return `${endpoint};SharedAccessKeyName=${name};SharedAccessKey=${key};UseDevelopmentEmulator=true`
  }
  const cutAll = (): void => {
    // With an error, or rhea would not notice and keep its timers.
    for (const socket of sockets) socket.destroy(new Error('cut'))
  }
  return {
    port,
    connectionString: connectionStringWith({}),
    received: bus.received,
    get connections() {
      return connections
    },
    get open() {
      return sockets.size
    },
    connectionStringWith,
    fail: (at, fault, times = 1) => bus.faults.add(at, fault, times),
    cutAll,
    async stop() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      cutAll()
      await closed
    },
  }
}

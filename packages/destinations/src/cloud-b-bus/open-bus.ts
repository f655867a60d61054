import type { Socket } from 'node:net'
import type { ServiceBusClient, ServiceBusSender, WebSocketImpl } from '@azure/service-bus'
import type { AddressGuard } from '../guard/address-guard.ts'
import { openSocket } from '../guard/open-socket.ts'
import { connectFailure, lossOf, serviceFailure } from './bus-failure.ts'
import type { BusSettings } from './bus-settings.ts'
import { SocketTransport } from './socket-transport.ts'

/** A connection to Service Bus whose token and link the service has taken. */
export interface OpenBus {
  readonly client: ServiceBusClient
  readonly sender: ServiceBusSender
  readonly transport: SocketTransport
  /** Zero: the service names no limit. */
  readonly maxMessageBytes: number
}

export interface OpenBusOptions {
  readonly guard: AddressGuard
  /** Gives up while it opens, and cuts the connection at any later moment. */
  readonly cut: AbortSignal
  /** The connection has ended; with the failure that this is for messages under way. */
  readonly onEnd: (loss: Error) => void
}

/**
 * Connects and opens a link to the queue or topic. The SDK is loaded by the first call.
 *
 * The SDK gets parts of the tenant's connection string, never the text: it reads more out of it than
 * validation looks at.
 *
 * @throws {BusFailureError} When there is no link to be had
 */
export async function openBus(
  { server, credential, entity }: BusSettings,
  { guard, cut, onEnd }: OpenBusOptions,
): Promise<OpenBus> {
  const { ServiceBusClient } = await import('@azure/service-bus')
  const socket = await connected(
    openSocket(guard, server, { cut, isPlainForOperatorsOnly: true }),
    server.isTls,
  )
  const lost = new AbortController()
  let loss: Error | null = null
  const transport = new SocketTransport(socket, (reason) => {
    loss = lossOf(reason)
    onEnd(loss)
    // The SDK goes on waiting otherwise, with timers of up to 45 minutes. Not before it has heard of the
    // loss: a connection that it closes itself while it opens keeps a timer for two minutes.
    lost.abort()
    client.close().catch(() => undefined)
  })
  const client = new ServiceBusClient(server.hostname, credential, {
    webSocketOptions: { webSocket: constructorOf(transport) },
    // The scheduler's task.
    retryOptions: { maxRetries: 0 },
  })
  survivePoison(client)
  try {
    const sender = client.createSender(entity)
    // The one call that opens the link; it sends nothing.
    const { maxSizeInBytes } = await sender.createMessageBatch({ abortSignal: lost.signal })
    return { client, sender, transport, maxMessageBytes: maxSizeInBytes }
  } catch (error) {
    throw loss ?? serviceFailure(error)
  }
}

async function connected(opening: Promise<Socket>, isTls: boolean): Promise<Socket> {
  try {
    return await opening
  } catch (error) {
    throw connectFailure(error, isTls)
  }
}

/**
 * Has somebody listen to the connection's errors for good. What rhea cannot parse it tells in a turn of
 * its own, when the SDK listens no more, and an error that nobody hears ends the process: any tenant's
 * "Service Bus" could do that to everybody. The way there is the SDK's own business; a test holds it.
 */
function survivePoison(client: ServiceBusClient): void {
  const { [CONTEXT]: context } = client as unknown as Connected
  context.connection.on('error', () => undefined)
}

const CONTEXT = '_connectionContext'

interface Connected {
  readonly [CONTEXT]: { readonly connection: { on(event: 'error', listener: () => void): void } }
}

/** `new` gives the one transport: what is lost is not dialled again behind our back. */
function constructorOf(transport: SocketTransport): WebSocketImpl {
  // An arrow function is no constructor.
  return function give() {
    return transport
  } as unknown as WebSocketImpl
}

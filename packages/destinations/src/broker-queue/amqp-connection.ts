import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import type { ChannelModel } from 'amqplib'

/** Of the handshake: who comes, to which vhost, and what limits he asks for. */
export interface AmqpLogin {
  readonly vhost: string
  readonly username: string
  readonly password: string
  readonly heartbeatS: number
  readonly maxFrameBytes: number
}

/**
 * Shakes hands on a connected socket, which ends with the connection.
 *
 * amqplib's own `connect` makes the socket itself, and has nobody listen until it returns: what a server
 * sends in one piece with the end of the handshake it reads before, and if it is wrong, the error has no
 * listener and ends the process, then or at the next heartbeat. A tenant chooses the server; so the parts
 * of amqplib are put together here, with listeners from the beginning. Its exact version is in
 * package.json, and test/hostile-broker.test.ts shows that it still fits.
 *
 * @throws What amqplib says of a handshake that failed
 */
export async function openAmqp(socket: Socket, login: AmqpLogin): Promise<ChannelModel> {
  const { Connection, Model } = loadParts()
  const connection = new Connection(socket)
  let end: Error | null = null
  connection.on('error', (error: Error) => {
    end = error
  })
  connection.once('close', () => {
    end ??= new Error('Socket closed abruptly with the end of the handshake')
  })
  await new Promise<void>((resolve, reject) => {
    const onOpen = (error: Error | null): void => (error === null ? resolve() : reject(error))
    connection.open(handshake(login), onOpen)
  })
  if (end !== null) throw end
  return new Model(connection)
}

function handshake({ vhost, username, password, heartbeatS, maxFrameBytes }: AmqpLogin) {
  return {
    clientProperties: {
      product: 'postrider',
      capabilities: {
        publisher_confirms: true,
        'basic.nack': true,
        'connection.blocked': true,
        authentication_failure_close: true,
      },
    },
    mechanism: 'PLAIN',
    response: Buffer.from(`\0${username}\0${password}`),
    locale: 'en_US',
    channelMax: 0,
    frameMax: maxFrameBytes,
    // What is read is bounded by the same, whatever the server asks for.
    maxFrameSize: maxFrameBytes,
    heartbeat: heartbeatS,
    virtualHost: vhost,
    capabilities: '',
    insist: 0,
  }
}

interface Connection extends EventEmitter {
  /** May call back more than once; the first time counts. */
  open(fields: ReturnType<typeof handshake>, callback: (error: Error | null) => void): void
}

interface Parts {
  readonly Connection: new (socket: Socket) => Connection
  readonly Model: new (connection: Connection) => ChannelModel
}

let parts: Parts | null = null

/** Loaded by the first call: a deliverer without such destinations has no use for them. */
function loadParts(): Parts {
  if (parts !== null) return parts
  const load = createRequire(import.meta.url)
  const lib = join(dirname(load.resolve('amqplib')), 'lib')
  const { Connection } = load(join(lib, 'connection.js')) as Pick<Parts, 'Connection'>
  const { ChannelModel: Model } = load(join(lib, 'channel_model.js')) as {
    readonly ChannelModel: Parts['Model']
  }
  parts = { Connection, Model }
  return parts
}

import type { Socket } from 'node:net'
import type { ChannelModel } from 'amqplib'
import type { AddressGuard } from '../guard/address-guard.ts'
import { openSocket } from '../guard/open-socket.ts'
import { openAmqp } from './amqp-connection.ts'
import { dialFailure } from './broker-failure.ts'
import type { BrokerSettings } from './broker-settings.ts'
import { ReadAllowance } from './read-allowance.ts'

/** A dead peer is noticed within two to three of these. */
const HEARTBEAT_S = 10

/** We read nothing but short answers; without a limit a server could make us buffer 64 MiB. */
const MAX_FRAME_BYTES = 128 * 1024

/** A connection to a broker. */
export interface DialledBroker {
  readonly model: ChannelModel
  readonly allowance: ReadAllowance
}

/**
 * Connects to a broker at an address that the guard lets through. amqplib is loaded by the first call.
 *
 * @param cut - destroys the socket, at any moment of its life
 * @throws {BrokerFailureError} When there is no connection to be had
 */
export async function dial(
  settings: BrokerSettings,
  guard: AddressGuard,
  cut: AbortSignal,
): Promise<DialledBroker> {
  const { vhost, username, password } = settings
  let socket: Socket | undefined
  try {
    socket = await openSocket(guard, settings, { cut, isPlainForOperatorsOnly: false })
    const allowance = new ReadAllowance(socket)
    const limits = { heartbeatS: HEARTBEAT_S, maxFrameBytes: MAX_FRAME_BYTES }
    const model = await openAmqp(socket, { vhost, username, password, ...limits })
    return { model, allowance }
  } catch (error) {
    // A server that refuses leaves it open; with an error, so that amqplib ends its heartbeats.
    socket?.destroy(new Error('given up'))
    throw dialFailure(error, settings.isTls)
  }
}

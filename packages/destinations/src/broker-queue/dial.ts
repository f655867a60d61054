import type { ChannelModel } from 'amqplib'
import type { AddressGuard } from '../guard/address-guard.ts'
import { dialFailure } from './broker-failure.ts'
import type { BrokerSettings } from './broker-settings.ts'

/** A dead peer is noticed within two to three of these. */
const HEARTBEAT_S = 10

/** We read nothing but short answers; without a limit a server could make us buffer 64 MiB. */
const MAX_FRAME_BYTES = 128 * 1024

/**
 * Connects to a broker at an address that the guard lets through. amqplib is loaded by the first call.
 *
 * @param cut - destroys the socket, at any moment of its life
 * @throws {BrokerFailureError} When there is no connection to be had
 */
export async function dial(
  { tenantUid, hostname, port, vhost, isTls, username, password }: BrokerSettings,
  guard: AddressGuard,
  cut: AbortSignal,
): Promise<ChannelModel> {
  const { connect } = await import('amqplib')
  const server = {
    protocol: isTls ? 'amqps' : 'amqp',
    hostname,
    port,
    vhost: encodeURIComponent(vhost),
    username,
    password,
    heartbeat: HEARTBEAT_S,
    frameMax: MAX_FRAME_BYTES,
    maxFrameSize: MAX_FRAME_BYTES,
  }
  try {
    const guarded = await guard.socketOptions(hostname, tenantUid)
    // amqplib hands on to the socket what it does not know; its types do not say so.
    const socketOptions = { ...guarded, noDelay: true, signal: cut }
    return await connect(server, socketOptions)
  } catch (error) {
    throw dialFailure(error, isTls)
  }
}

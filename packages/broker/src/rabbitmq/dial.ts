import { Duplex } from 'node:stream'
import { type ChannelModel, connect } from 'amqplib'

/** Both sides notice a dead peer within two to three of these. */
const HEARTBEAT_S = 10
/** Silence for this long during the handshake is a failure. */
const HANDSHAKE_TIMEOUT_MS = 10_000

/** So much can be written by one system call; see `Cork`. */
const WRITE_BUFFER_BYTES = 1024 * 1024

/** Where the broker is, and how that may be written into a log. */
export interface BrokerAddress {
  /** With the password in it. */
  readonly url: string
  /** Host, port and vhost. */
  readonly label: string
}

/**
 * @throws {TypeError} When it is not an AMQP URL; does not repeat the URL, which holds a password
 */
export function parseBrokerUrl(url: string): BrokerAddress {
  if (!URL.canParse(url)) throw new TypeError('the URL of RabbitMQ is not a URL')
  const parsed = new URL(url)
  if (parsed.protocol !== 'amqp:' && parsed.protocol !== 'amqps:') {
    throw new TypeError('the URL of RabbitMQ must begin with amqp:// or amqps://')
  }
  if (!parsed.searchParams.has('heartbeat')) {
    parsed.searchParams.set('heartbeat', String(HEARTBEAT_S))
  }
  return { url: parsed.href, label: `${parsed.host}${parsed.pathname}` }
}

/**
 * Opens a connection. It is the caller's to close; `cut` destroys its socket at any moment, for a peer
 * that does not answer any more.
 */
export async function dial(address: BrokerAddress, cut: AbortSignal): Promise<ChannelModel> {
  // amqplib hands its options on to net.Socket, which has more than its types say.
  const socketOptions = {
    noDelay: true,
    keepAlive: true,
    timeout: HANDSHAKE_TIMEOUT_MS,
    signal: cut,
    writableHighWaterMark: WRITE_BUFFER_BYTES,
  }
  return connect(address.url, socketOptions)
}

/**
 * The socket of a connection. It is no part of amqplib's types, though it has always been there: null
 * should that change.
 */
export function socketOf(model: ChannelModel): Duplex | null {
  const { stream } = model.connection as { readonly stream?: unknown }
  return stream instanceof Duplex ? stream : null
}

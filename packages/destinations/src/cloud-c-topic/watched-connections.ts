import type { ClientHttp2Session } from 'node:http2'
import type { SubchannelAddress } from '@grpc/grpc-js/build/src/subchannel-address.js'
import type { JudgedAddress } from './judged-resolver.ts'

/** An answer to a publish call comes in a handful of them. */
const MAX_PARTS = 1000

let watching: Promise<void> | null = null

/**
 * From now on gRPC's connections to judged addresses tell when they take no more calls, and are cut when
 * their server does what no Pub/Sub does, and what gRPC would let any tenant's server do to everybody:
 *
 * - it pushes: nobody listens to the streams that it opens, and an error of one ends the process;
 * - it answers in pieces without end, such as informational headers, thousands to a read: all else waits
 *   while they are told.
 *
 * gRPC shows its connections to nobody. The way there is its own business; a test holds it.
 */
export async function watchConnections(): Promise<void> {
  await (watching ??= watchConnector())
}

async function watchConnector(): Promise<void> {
  const { Http2SubchannelConnector } = await import('@grpc/grpc-js/build/src/transport.js')
  const { prototype } = Http2SubchannelConnector
  // oxlint-disable-next-line typescript/unbound-method -- called on what its replacement is called on
  const unwatched = prototype.connect
  prototype.connect = async function connect(address, ...others) {
    const transport = await unwatched.call(this, address, ...others)
    if (isJudged(address)) watch((transport as unknown as Connected).session, address)
    return transport
  }
}

interface Connected {
  readonly session: ClientHttp2Session
}

/** Connections of others in this process are left alone. */
function isJudged(address: SubchannelAddress | JudgedAddress): address is JudgedAddress {
  return 'onClosing' in address
}

function watch(session: ClientHttp2Session, { onClosing }: JudgedAddress): void {
  session.once('goaway', onClosing).once('close', onClosing)
  // Later in this turn: not while what was read is still being parsed, and before more is read.
  const cut = (): void => process.nextTick(() => session.destroy())
  session.on('stream', (pushed) => {
    pushed.on('error', () => undefined)
    cut()
  })
  const request = session.request.bind(session)
  session.request = (...args) => {
    const stream = request(...args)
    let parts = 0
    const count = (): void => {
      parts += 1
      if (parts === MAX_PARTS) cut()
    }
    return stream.on('headers', count).on('data', count)
  }
}

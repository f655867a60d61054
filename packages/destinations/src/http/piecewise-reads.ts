import type { buildConnector } from 'undici'

/** Of what has arrived, undici's parser gets this much at a time. */
const PIECE_BYTES = 2048

/**
 * A connector whose sockets are read in small pieces, and no more once they are destroyed.
 *
 * undici notices a head that is too long only when it has parsed the whole piece, and makes an error
 * for every header beyond the limit: 64 KiB of tiny headers, which is what a socket has at a time, would
 * stop the process for a third of a second, as often as a tenant's receiver likes.
 */
export function piecewiseReads(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) => {
    connect(target, (...result) => {
      const [error, socket] = result
      if (error === null) {
        const read = socket.read.bind(socket)
        socket.read = (size?: number): unknown => {
          if (socket.destroyed) return null
          return size === undefined && socket.readableLength > PIECE_BYTES
            ? read(PIECE_BYTES)
            : read(size)
        }
      }
      callback(...result)
    })
  }
}

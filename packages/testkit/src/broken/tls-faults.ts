import type { Misbehaviour } from './misbehaviour.ts'

/** A record of TLS: handshake failure, fatal. */
const ALERT = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28])

/** The beginning of a record of 16 KiB that never comes. */
const RECORD_START = Buffer.from([0x16, 0x03, 0x03, 0x40, 0x00])

/** Handshakes that go wrong. */
export const TLS_FAULTS = {
  tls_garbage: onHello((socket) => void socket.write('this is not TLS\r\n\r\n')),
  tls_plain_http: onHello((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  tls_alert: onHello((socket) => void socket.end(ALERT)),
  tls_silence: () => undefined,
  tls_silence_in_record: onHello((socket) => void socket.write(RECORD_START)),
  tls_drip: onHello((socket) => {
    socket.write(RECORD_START)
    const timer = setInterval(() => socket.write('\0'), 20)
    socket.once('close', () => clearInterval(timer))
  }),
  tls_fin: onHello((socket) => void socket.end()),
  tls_reset: onHello((socket) => void socket.resetAndDestroy()),
} as const satisfies Readonly<Record<string, Misbehaviour>>

function onHello(act: Misbehaviour): Misbehaviour {
  return (socket) => void socket.once('data', () => act(socket))
}

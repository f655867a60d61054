import type { Socket } from 'node:net'
import { listening, tcpServer } from './raw-server.ts'

/** HTTP/2 and gRPC by hand, as far as a server of one method goes. */

/** What a server does when a client has connected, and when the request of a stream is there. */
export interface Script {
  readonly connected?: Buffer | ((socket: Socket) => void)
  readonly requested?: (stream: number, socket: Socket) => Buffer | null
}

/** A server on 127.0.0.1 that knows only its lines. */
export interface HostileTopic {
  readonly port: number
  /** Connections that are open now. */
  readonly open: number
  /** Connections there were. */
  readonly accepted: number
  stop(): Promise<void>
}

export const DATA = 0
export const HEADERS = 1
export const RST_STREAM = 3
const SETTINGS_TYPE = 4
export const PUSH_PROMISE = 5
export const PING = 6
export const GOAWAY = 7
export const WINDOW_UPDATE = 8
export const CONTINUATION = 9

/** Of SETTINGS and PING. */
export const ACK = 1
/** Of DATA and HEADERS. */
export const END_STREAM = 1
export const END_HEADERS = 4

const PREFACE_LENGTH = 24
const HEAD_LENGTH = 9
const NOTHING: Buffer = Buffer.alloc(0)

export function frame(type: number, flags: number, stream: number, body: Buffer = NOTHING): Buffer {
  const head = Buffer.alloc(HEAD_LENGTH)
  head.writeUIntBE(body.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, body])
}

export function uint32(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length)
  numbers.forEach((number, i) => bytes.writeUInt32BE(number, 4 * i))
  return bytes
}

export function settings(...pairs: readonly (readonly [id: number, value: number])[]): Buffer {
  const entries = pairs.map(([id, value]) => Buffer.concat([Buffer.of(0, id), uint32(value)]))
  return frame(SETTINGS_TYPE, 0, 0, Buffer.concat(entries))
}

export type Fields = readonly (readonly [name: string, value: string | Buffer])[]

/** A header block without compression. */
export function block(fields: Fields): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.of(0), hpackText(name), hpackText(value)]),
  )
}

function hpackText(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([
    bytes.length < 127
      ? Buffer.of(bytes.length)
      : Buffer.concat([Buffer.of(127), varint(bytes.length - 127)]),
    bytes,
  ])
}

function varint(number: number): Buffer {
  return number < 128
    ? Buffer.of(number)
    : Buffer.concat([Buffer.of((number % 128) | 128), varint(Math.floor(number / 128))])
}

const OK_FIELDS: Fields = [
  [':status', '200'],
  ['content-type', 'application/grpc'],
]

export function headers(stream: number, fields: Fields = []): Buffer {
  return frame(HEADERS, END_HEADERS, stream, block([...OK_FIELDS, ...fields]))
}

export function trailers(stream: number, fields: Fields): Buffer {
  return frame(HEADERS, END_HEADERS | END_STREAM, stream, block(fields))
}

/** A message of gRPC in frames of DATA. */
export function message(stream: number, bytes: Buffer, flag = 0): Buffer {
  const whole = Buffer.concat([Buffer.of(flag), uint32(bytes.length), bytes])
  const frames: Buffer[] = []
  for (let at = 0; at < whole.length; at += 16_384) {
    frames.push(frame(DATA, 0, stream, whole.subarray(at, at + 16_384)))
  }
  return Buffer.concat(frames)
}

/** What Pub/Sub answers to a publish call. */
export function messageIds(...ids: readonly string[]): Buffer {
  return Buffer.concat(
    ids.flatMap((id) => [Buffer.of(0x0a), varint(Buffer.byteLength(id)), Buffer.from(id)]),
  )
}

/** A whole answer; status 0 by default. */
export function answer(
  stream: number,
  bytes: Buffer = messageIds('1'),
  end: Fields = [['grpc-status', '0']],
): Buffer {
  return Buffer.concat([headers(stream), message(stream, bytes), trailers(stream, end)])
}

export async function startHostileTopic(script: Script): Promise<HostileTopic> {
  const sockets = new Set<Socket>()
  let accepted = 0
  const server = tcpServer((socket) => {
    accepted += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    const { connected = settings(), requested = () => null } = script
    if (typeof connected === 'function') connected(socket)
    else socket.write(connected)
    readRequests(socket, (stream) => {
      const bytes = requested(stream, socket)
      if (bytes !== null) socket.write(bytes)
    })
  })
  return {
    port: await listening(server),
    get open() {
      return sockets.size
    },
    get accepted() {
      return accepted
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Acknowledges settings, and tells of each stream of which all is there. */
function readRequests(socket: Socket, onRequest: (stream: number) => void): void {
  let toSkip = PREFACE_LENGTH
  let unread = NOTHING
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk])
    const skipped = Math.min(toSkip, unread.length)
    toSkip -= skipped
    unread = unread.subarray(skipped)
    if (toSkip > 0) return
    while (unread.length >= HEAD_LENGTH) {
      const end = HEAD_LENGTH + unread.readUIntBE(0, 3)
      if (unread.length < end) return
      const [type, flags] = [unread.readUInt8(3), unread.readUInt8(4)]
      const stream = unread.readUInt32BE(5)
      unread = unread.subarray(end)
      if (type === SETTINGS_TYPE && flags === 0) socket.write(frame(SETTINGS_TYPE, ACK, 0))
      const isRequest = type === HEADERS || type === DATA
      if (isRequest && (flags & END_STREAM) !== 0) onRequest(stream)
    }
  })
}

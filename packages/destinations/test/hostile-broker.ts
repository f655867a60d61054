import { createServer, type Socket } from 'node:net'
import { listening } from './raw-server.ts'

/** What a client says, as `class.method`; `header` for the beginning, `body` for a frame of content. */
export type Said = 'header' | '10.11' | '10.40' | '10.50' | '20.10' | '20.40' | '85.10' | 'body'

/** What the server says to it: bytes, or whatever it does with the socket. */
export type Script = Partial<Record<Said, Buffer | ((socket: Socket, published: number) => void)>>

/** A server on 127.0.0.1 that knows only its lines of AMQP 0-9-1. */
export interface HostileBroker {
  readonly port: number
  /** Connections that are open now. */
  readonly open: number
  stop(): Promise<void>
}

export function frame(type: number, channel: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(7)
  head.writeUInt8(type, 0)
  head.writeUInt16BE(channel, 1)
  head.writeUInt32BE(payload.length, 3)
  return Buffer.concat([head, payload, Buffer.of(0xce)])
}

export function method(channel: number, [class_, id]: [number, number], fields: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(class_, 0)
  head.writeUInt16BE(id, 2)
  return frame(1, channel, Buffer.concat([head, fields]))
}

export function ack(tag: number | bigint, channel = 1): Buffer {
  const fields = Buffer.alloc(9)
  fields.writeBigUInt64BE(BigInt(tag), 0)
  return method(channel, [60, 80], fields)
}

/** Of a channel, or of the connection: channel 0. */
export function closing(channel: number, replyCode: number): Buffer {
  const fields = Buffer.alloc(7)
  fields.writeUInt16BE(replyCode, 0)
  return method(channel, channel === 0 ? [10, 50] : [20, 40], fields)
}

/** The beginning of a message that comes back, with a body of so many bytes. */
export function returned(bodyBytes: bigint): Buffer {
  const header = Buffer.alloc(14)
  header.writeUInt16BE(60, 0)
  header.writeBigUInt64BE(bodyBytes, 4)
  return Buffer.concat([method(1, [60, 50], Buffer.alloc(5)), frame(2, 1, header)])
}

export const HEARTBEAT = frame(8, 0, Buffer.alloc(0))
export const START = method(
  0,
  [10, 10],
  Buffer.concat([Buffer.of(0, 9, 0, 0, 0, 0), longText('PLAIN'), longText('en_US')]),
)
export const TUNE = method(0, [10, 30], Buffer.of(0, 0, 0, 2, 0, 0, 0, 0))
export const OPEN_OK = method(0, [10, 41], Buffer.alloc(1))
export const CHANNEL_OK = method(1, [20, 11], Buffer.alloc(4))
export const CONFIRM_OK = method(1, [85, 11], Buffer.alloc(0))

/** What a good server says. */
const LINES: Script = {
  header: START,
  '10.11': TUNE,
  '10.40': OPEN_OK,
  '10.50': method(0, [10, 51], Buffer.alloc(0)),
  '20.10': CHANNEL_OK,
  '20.40': method(1, [20, 41], Buffer.alloc(0)),
  '85.10': CONFIRM_OK,
  body: (socket, published) => void socket.write(ack(published)),
}

/** Starts a server that is good but for this; whoever starts it stops it. */
export async function startHostileBroker(script: Script): Promise<HostileBroker> {
  const lines: Script = { ...LINES, ...script }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // The client may give up at any point; that is what is being tested.
    socket.on('error', () => undefined)
    let published = 0
    onWords(socket, (said) => {
      if (said === 'body') published += 1
      const line = lines[said]
      if (Buffer.isBuffer(line)) socket.write(line)
      else line?.(socket, published)
    })
  })
  const port = await listening(server)
  return {
    port,
    get open() {
      return sockets.size
    },
    stop: async () => {
      await new Promise((resolve) => {
        server.close(resolve)
        for (const socket of sockets) socket.destroy()
      })
    },
  }
}

function onWords(socket: Socket, hear: (said: Said) => void): void {
  let rest = Buffer.alloc(0)
  let hasBegun = false
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    if (!hasBegun && rest.length >= 8) {
      hasBegun = true
      rest = rest.subarray(8)
      hear('header')
    }
    if (!hasBegun) return
    while (rest.length >= 8 && rest.length >= rest.readUInt32BE(3) + 8) {
      const type = rest.readUInt8(0)
      if (type === 1) hear(`${rest.readUInt16BE(7)}.${rest.readUInt16BE(9)}` as Said)
      if (type === 3) hear('body')
      rest = rest.subarray(rest.readUInt32BE(3) + 8)
    }
  })
}

function longText(text: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, Buffer.from(text)])
}

import type { Socket } from 'node:net'

/** What a server does with a connection from the moment it is accepted. */
export type Misbehaviour = (socket: Socket) => void

const DRIP_MS = 50

/** Acts on each request once it is there in full. */
export function onRequest(act: Misbehaviour): Misbehaviour {
  return (socket) => {
    let received = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const length = requestLength(received)
      if (length === null || received.length < length) return
      received = received.subarray(length)
      act(socket)
    })
  }
}

/** Acts on the first bytes of a request, and reads no more of it. */
export function onFirstBytes(act: Misbehaviour): Misbehaviour {
  return (socket) => {
    socket.once('data', () => {
      socket.pause()
      act(socket)
    })
  }
}

/** Answers each request with these bytes, and keeps the connection. */
export function answer(bytes: string | Buffer): Misbehaviour {
  return onRequest((socket) => void socket.write(bytes, 'latin1'))
}

/** Answers the first request with these bytes, and closes the connection. */
export function answerAndClose(bytes: string | Buffer): Misbehaviour {
  return onRequest((socket) => void socket.end(bytes, 'latin1'))
}

/** Answers with `start`, and then with `piece` 20 times a second, for ever. */
export function drip(start: string, piece: string): Misbehaviour {
  return onRequest((socket) => {
    socket.write(start)
    const timer = setInterval(() => socket.write(piece), DRIP_MS)
    socket.once('close', () => clearInterval(timer))
  })
}

/** Answers with `start`, and then with `piece` as fast as the client takes it, for ever. */
export function flood(start: string, piece: string): Misbehaviour {
  const block = piece.repeat(Math.ceil(16_384 / piece.length))
  return onRequest((socket) => {
    const pour = (): void => {
      while (!socket.destroyed && socket.write(block));
    }
    socket.on('drain', pour)
    socket.write(start)
    pour()
  })
}

/** Of a request with a content-length, head and body together; null while its head is not complete. */
function requestLength(received: Buffer): number | null {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const head = received.toString('latin1', 0, headEnd)
  const [, length = '0'] = /^content-length: *(\d+)/im.exec(head) ?? []
  return headEnd + 4 + Number(length)
}

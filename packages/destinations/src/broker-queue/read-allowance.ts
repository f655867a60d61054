import type { Socket } from 'node:net'

/** What a server may send without a message that it answers: heartbeats, alarms, the answers to channels. */
const UNASKED_BYTES = 256 * 1024

/** Of each message: a confirm, and what comes with the body when it is returned. */
const ANSWER_BYTES = 128 * 1024

/**
 * How much a server may still send on one connection. A message that is returned comes back in frames
 * which amqplib collects until all of them are there, as many as the server says.
 */
export class ReadAllowance {
  #asked = 0
  #left = UNASKED_BYTES

  /** Watches what is read; a socket that brings more than is allowed is destroyed. */
  constructor(socket: Socket) {
    const read = socket.read.bind(socket)
    socket.read = (size?: number): unknown => {
      const chunk: unknown = read(size)
      if (Buffer.isBuffer(chunk)) this.#left -= chunk.length
      if (this.#left >= 0) return chunk
      socket.destroy(new Error('the server sends more than it was asked for'))
      return null
    }
  }

  /** Lets the answer to a message come; what is returned takes that back, once. */
  expectAnswer(bodyBytes: number): () => void {
    const bytes = bodyBytes + ANSWER_BYTES
    this.#asked += bytes
    this.#left += bytes
    return () => {
      this.#asked -= bytes
      this.#left = Math.min(this.#left, UNASKED_BYTES + this.#asked)
    }
  }
}

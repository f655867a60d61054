import type { Socket } from 'node:net'

/** How AMQP begins, in both directions. */
const PREAMBLE = Buffer.from('AMQP')

/**
 * What a server may send beyond what it has been asked for: it answers each message with a few dozen
 * bytes, and the SDK keeps whatever makes no whole frame.
 */
const MAX_UNASKED_BYTES = 256 * 1024
const ANSWER_BYTES = 16 * 1024

/**
 * A connected socket in the only shape in which the SDK takes a connection that it has not made itself:
 * that of a WebSocket. What travels is bare AMQP. So the guard chooses the address, the errors of
 * connecting are Node's own, and the socket can be cut at any moment.
 */
export class SocketTransport {
  onopen: (() => void) | null = null
  onmessage: ((message: { readonly data: Buffer }) => void) | null = null
  onclose: (() => void) | null = null
  onerror: ((error: unknown) => void) | null = null
  readonly #socket: Socket
  #allowedBytes = MAX_UNASKED_BYTES
  #hasBegun = false

  /**
   * The SDK sets the handlers right after this.
   *
   * @param onClosed - the socket has ended, and the SDK has heard of it; with the error that ended it
   */
  constructor(socket: Socket, onClosed: (error: Error | null) => void) {
    this.#socket = socket
    let reason: Error | null = null
    socket.once('error', (error) => {
      reason = error
    })
    socket.once('close', () => {
      this.onclose?.()
      onClosed(reason)
    })
    process.nextTick(() => {
      socket.on('data', (chunk: Buffer) => this.#receive(chunk))
      this.onopen?.()
    })
  }

  send(bytes: Buffer): void {
    this.#socket.write(bytes)
  }

  close(): void {
    this.#socket.end()
  }

  /** An answer is to be expected. */
  allowAnswer(): void {
    this.#allowedBytes = Math.min(MAX_UNASKED_BYTES, this.#allowedBytes + ANSWER_BYTES)
  }

  #receive(chunk: Buffer): void {
    this.#allowedBytes -= chunk.length
    if (this.#allowedBytes < 0 || !this.#isAmqp(chunk)) {
      this.#socket.destroy(new ProtocolFaultError())
      return
    }
    this.onmessage?.({ data: chunk })
  }

  #isAmqp(chunk: Buffer): boolean {
    if (this.#hasBegun) return true
    this.#hasBegun = true
    const start = chunk.subarray(0, PREAMBLE.length)
    return start.equals(PREAMBLE.subarray(0, start.length))
  }
}

/** What listens there does not speak AMQP, or floods us. */
export class ProtocolFaultError extends Error {
  override readonly name = 'ProtocolFaultError'
}

import { VerificationError } from './verification-error.ts'

/**
 * The bytes of a body.
 *
 * @throws {VerificationError} When it is none: callers in JavaScript hand over what a framework parsed
 */
export function rawBody(body: unknown): Uint8Array {
  if (typeof body === 'string') {
    // A lone surrogate would be encoded as U+FFFD and so stand for bytes that are not its own.
    if (!body.isWellFormed()) {
      throw new VerificationError('body_not_raw', 'the body is text that has no UTF-8 bytes')
    }
    return new TextEncoder().encode(body)
  }
  // `instanceof` does not know the buffers of another realm.
  if (ArrayBuffer.isView(body)) {
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  }
  if (isArrayBuffer(body)) return new Uint8Array(body)
  throw new VerificationError(
    'body_not_raw',
    'the body must be the bytes or the text that arrived, not something made of them',
  )
}

/** The prefix, in ASCII, followed by the body. */
export function signedContent(prefix: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(prefix)
  const content = new Uint8Array(start.length + body.length)
  content.set(start)
  content.set(body, start.length)
  return content
}

function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

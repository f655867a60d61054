import { Readable } from 'node:stream'
import { NoAnswerError } from './no-answer-error.ts'

/**
 * Answers are a few hundred bytes, those of 500 refused records not 200 KiB. The SDKs parse what there is:
 * a megabyte of nonsense would stop the process for a third of a second.
 */
const MAX_BYTES = 256 * 1024

/** An answer that is longer than any of these services gives. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError'
}

/**
 * Reads the body of an answer.
 *
 * @throws {NoAnswerError} When it breaks off
 * @throws {AnswerTooLongError} When it is longer than it can be; it is not read to its end
 */
export async function collectAnswer(stream: unknown): Promise<Uint8Array> {
  if (!(stream instanceof Readable)) throw new TypeError('the body of an answer is a stream')
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MAX_BYTES) break
      chunks.push(chunk)
    }
  } catch (error) {
    throw new NoAnswerError(error)
  }
  if (bytes > MAX_BYTES) {
    throw new AnswerTooLongError(`The answer is longer than ${MAX_BYTES} bytes.`)
  }
  return Buffer.concat(chunks)
}

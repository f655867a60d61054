import { Readable } from 'node:stream'
import { NoAnswerError } from './no-answer-error.ts'

/** Answers are a few hundred bytes; those of 500 records are 100 KiB. */
const MAX_BYTES = 1024 * 1024

/**
 * Reads the body of an answer.
 *
 * @throws {NoAnswerError} When it breaks off
 * @throws {Error} When it is longer than any answer of these services; it is not read to its end
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
  if (bytes > MAX_BYTES) throw new Error(`the answer is longer than ${MAX_BYTES} bytes`)
  return Buffer.concat(chunks)
}

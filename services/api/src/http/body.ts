import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { ApiError } from './errors.ts'

const inflate = promisify(gunzip)

/** The caller went away before its request was complete: there is nobody to answer. */
export class RequestAbortedError extends Error {
  override readonly name = 'RequestAbortedError'
}

/**
 * Reads the body of a request: the bytes as sent, inflated when they came as gzip; empty when there
 * is none.
 *
 * @param limitBytes - how large it may be, inflated
 * @throws {ApiError} unsupported_media_type, payload_too_large, or invalid_json for broken gzip
 * @throws {RequestAbortedError} When the connection ends first
 */
export async function readBody(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const { headers } = req
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    return EMPTY
  }
  if (headers['content-length'] === '0') return EMPTY
  refuseMediaType(headers['content-type'])
  const isGzip = refuseEncoding(headers['content-encoding'])
  const sent = await readAll(req, limitBytes)
  return isGzip ? await inflated(sent, limitBytes) : sent
}

/**
 * The value of a JSON text.
 *
 * Members called `__proto__` become members like any other: who copies values must not assign them.
 *
 * @throws {ApiError} invalid_json
 */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new ApiError('invalid_json', 'the body is empty, JSON is expected')
  // Decoding would replace what is not UTF-8, and what was published would not be what is kept.
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', 'the body is not UTF-8')
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new ApiError('invalid_json', 'the body is not JSON', { cause })
  }
}

const EMPTY = Buffer.alloc(0)
const JSON_TYPE = /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json *(?:; *charset="?utf-8"? *)?$/i

function refuseMediaType(contentType: string | undefined): void {
  if (contentType === 'application/json') return
  if (contentType !== undefined && JSON_TYPE.test(contentType)) return
  throw new ApiError('unsupported_media_type', 'the Content-Type must be application/json')
}

/** Answers whether the body is gzip. */
function refuseEncoding(encoding: string | undefined): boolean {
  switch (encoding?.trim().toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
      return false
    case 'gzip':
    case 'x-gzip':
      return true
    default:
      throw new ApiError('unsupported_media_type', 'the Content-Encoding must be gzip or absent')
  }
}

function readAll(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      chunks.push(chunk)
      if (length > limitBytes) {
        stop()
        // What still comes is read and dropped, so that the caller gets to read the answer.
        req.resume()
        reject(tooLarge(limitBytes))
      }
    }
    const onEnd = (): void => {
      stop()
      resolve(chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks, length))
    }
    const onBroken = (): void => {
      stop()
      reject(new RequestAbortedError('the connection ended within the request'))
    }
    const stop = (): void => {
      req.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken)
      // An aborted request emits once more; without a listener that would end the process.
      req.on('error', () => undefined)
    }
    req.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken)
  })
}

async function inflated(bytes: Buffer, limitBytes: number): Promise<Buffer> {
  try {
    return await inflate(bytes, { maxOutputLength: limitBytes })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes)
    throw new ApiError('invalid_json', 'the body is not gzip, as its Content-Encoding says', {
      cause,
    })
  }
}

function tooLarge(limitBytes: number): ApiError {
  return new ApiError(
    'payload_too_large',
    `the body is larger than ${limitBytes} bytes (MAX_REQUEST_BODY_BYTES)`,
  )
}

import { type AttemptResponse, cleanText } from '@postrider/common'
import type { Dispatcher } from 'undici'
import { MAX_INFORMATIONAL } from '../connection-limits.ts'
import type { SendResult } from '../destination-type.ts'
import { failureCode } from '../failure-code.ts'
import { failed } from '../send-result.ts'
import { retryAfterMs } from './retry-after.ts'

const NO_BODY = Buffer.alloc(0)
const MAX_HEADER_LENGTH = 256

export interface ExchangeOptions {
  readonly timeoutMs: number
  readonly maxBodyBytes: number
  /** Now by Postgres' clock, Unix milliseconds, when the send began. */
  readonly nowMs: number
  readonly onResult: (result: SendResult) => void
  /** The fault is ours. */
  readonly onFault: (error: Error) => void
  /** A failure that has no code of its own. */
  readonly onUnknown: (error: Error) => void
}

/**
 * One request and its answer, as a handler of undici's dispatcher. It settles once: with the answer's
 * end, its cap, its failure or the deadline, whichever comes first.
 *
 * The status decides as soon as the head is there: a body that is too long, breaks off or does not end
 * in time is kept as far as it came, marked as cut. Bodies are kept as they are sent, never
 * decompressed: what little there is of a compressed one may be a bomb.
 *
 * It speaks the dispatcher's raw interface (`onConnect`, `onHeaders`, …): the newer one parses all
 * headers of every answer into an object and wraps each call.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions
  readonly #timer: NodeJS.Timeout
  #abort: ((error?: Error) => void) | null = null
  #isSettled = false
  #status = 0
  #informational = 0
  #contentType: string | null = null
  #contentEncoding: string | null = null
  #retryAfter: string | null = null
  #chunks: Buffer[] = []
  #bodyBytes = 0

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.#timer = setTimeout(onDeadline, options.timeoutMs, this)
  }

  onConnect(abort: (error?: Error) => void): void {
    // The request waited for a connection beyond its deadline. Thrown here it is dropped unsent, and
    // the connection stays good for the next; to abort would close it.
    if (this.#isSettled) throw new Error('the deadline has passed')
    this.#abort = abort
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    if (this.#isSettled) return true
    if (status < 200) return this.#onInformational(status)
    this.#status = status
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const length = headers[i]?.length
      if (length === 12 && isNamed(headers[i], 'content-type')) {
        this.#contentType = headerValue(headers[i + 1])
      } else if (length === 16 && isNamed(headers[i], 'content-encoding')) {
        this.#contentEncoding = headerValue(headers[i + 1])
      } else if (length === 11 && isNamed(headers[i], 'retry-after')) {
        this.#retryAfter = headerValue(headers[i + 1])
      }
    }
    return true
  }

  /** 1xx: the real head is still to come. */
  #onInformational(status: number): boolean {
    this.#informational++
    if (status < 100 || this.#informational > MAX_INFORMATIONAL) {
      this.#fail('protocol_error')
      this.#abort?.()
    }
    return true
  }

  onData(chunk: Buffer): boolean {
    if (this.#isSettled) return true
    const room = this.#options.maxBodyBytes - this.#bodyBytes
    this.#bodyBytes += chunk.length
    if (chunk.length <= room) {
      this.#chunks.push(chunk)
      return true
    }
    if (room > 0) this.#chunks.push(chunk.subarray(0, room))
    this.#settleByStatus(true)
    this.#abort?.()
    return true
  }

  onComplete(): void {
    this.#settleByStatus(false)
  }

  onError(error: Error): void {
    if (this.#isSettled) return
    if (this.#status !== 0) {
      this.#settleByStatus(true)
      return
    }
    const code = failureCode(error)
    if (code === null) {
      this.#settle()
      this.#options.onFault(error)
      return
    }
    if (code === 'network_error') this.#options.onUnknown(error)
    this.#fail(code)
  }

  /** Ends the exchange with what there is. */
  expire(): void {
    if (this.#status === 0) this.#fail('timeout')
    else this.#settleByStatus(true)
    this.#abort?.()
  }

  #settleByStatus(cut: boolean): void {
    if (this.#isSettled) return
    const status = this.#status
    const isPauseWanted = status === 429 || status === 503
    this.#settle()
    this.#options.onResult({
      status: status < 300 ? 'success' : 'failed',
      code: String(status),
      response: this.#response(cut),
      retryAfterMs:
        isPauseWanted && this.#retryAfter !== null
          ? retryAfterMs(this.#retryAfter, this.#options.nowMs)
          : null,
      disable: status === 410,
    })
  }

  #fail(code: string): void {
    this.#settle()
    this.#options.onResult(failed(code))
  }

  #settle(): void {
    this.#isSettled = true
    clearTimeout(this.#timer)
  }

  #response(cut: boolean): AttemptResponse {
    const headers: Record<string, string> = {}
    if (this.#contentType !== null) headers['content-type'] = this.#contentType
    if (this.#contentEncoding !== null) headers['content-encoding'] = this.#contentEncoding
    if (this.#retryAfter !== null) headers['retry-after'] = this.#retryAfter
    const [first = NO_BODY] = this.#chunks
    const body = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first
    return { head: { status: this.#status, headers }, body, cut }
  }
}

function onDeadline(exchange: Exchange): void {
  exchange.expire()
}

function isNamed(name: Buffer | undefined, lowerCase: string): boolean {
  return name?.toString('latin1').toLowerCase() === lowerCase
}

function headerValue(value: Buffer | undefined): string {
  return cleanText(value?.toString('latin1', 0, MAX_HEADER_LENGTH) ?? '')
}

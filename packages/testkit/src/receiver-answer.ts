import type { ServerResponse } from 'node:http'

/** How a receiver answers one request. Everything left out has its default. */
export interface Answer {
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** An informational 103 goes ahead of the head. Default false. */
  readonly earlyHints?: boolean
  /** Default: none. */
  readonly body?: string | Buffer
  /** The answer waits for this, such as the `released` of a hold. */
  readonly after?: Promise<unknown>
  readonly delayMs?: number
  /**
   * What goes wrong instead of a complete answer:
   * - `hang`: nothing is ever answered
   * - `reset`: the connection is reset before the head
   * - `reset_in_body`: the head and `body` are sent, then the connection is reset
   * - `hang_in_body`: the head and `body` are sent, then nothing more
   * - `drip`: the head is sent, then `body` again and again, 20 times a second, without an end
   * - `garbage`: bytes that are not HTTP
   */
  readonly fault?: 'hang' | 'reset' | 'reset_in_body' | 'hang_in_body' | 'drip' | 'garbage'
}

/** Something that waits until a test lets it go. */
export interface Hold {
  readonly released: Promise<void>
  release(): void
}

/** A hold for `Answer.after`: the receiver has the request, and its answer waits for `release`. */
export function createHold(): Hold {
  let release: (() => void) | undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return { released, release: () => release?.() }
}

const DRIP_INTERVAL_MS = 50
const RESET_DELAY_MS = 20

/** Answers when the answer's hold and delay are over. */
export function giveAnswer(response: ServerResponse, answer: Answer): void {
  const { after, delayMs } = answer
  if (after !== undefined) {
    const { after: _, ...rest } = answer
    // A hold has no failure; only its end matters.
    void after.finally(() => giveAnswer(response, rest))
  } else if (delayMs !== undefined) {
    const { delayMs: _, ...rest } = answer
    const timer = setTimeout(() => giveAnswer(response, rest), delayMs)
    response.once('close', () => clearTimeout(timer))
  } else {
    answerNow(response, answer)
  }
}

function answerNow(response: ServerResponse, answer: Answer): void {
  const { fault, body = '' } = answer
  const { socket } = response
  // The client has gone while the answer was held.
  if (socket === null || socket.destroyed) return
  switch (fault) {
    case 'hang':
      return
    case 'reset':
      socket.resetAndDestroy()
      return
    case 'garbage':
      socket.end('this is not HTTP\r\n\r\n')
      return
    case 'reset_in_body':
      writeHead(response, answer)
      // A reset that follows at once could overtake the head on its way to the client's code.
      response.write(body, () => setTimeout(() => socket.resetAndDestroy(), RESET_DELAY_MS))
      return
    case 'hang_in_body':
      writeHead(response, answer)
      response.write(body)
      return
    case 'drip': {
      writeHead(response, answer)
      response.write(body)
      const timer = setInterval(() => response.write(body), DRIP_INTERVAL_MS)
      response.once('close', () => clearInterval(timer))
      return
    }
    case undefined:
      writeHead(response, answer)
      response.end(body)
  }
}

function writeHead(response: ServerResponse, answer: Answer): void {
  if (answer.earlyHints === true) response.writeEarlyHints({ link: '</a.css>; rel=preload' })
  response.writeHead(answer.status ?? 200, answer.headers)
}

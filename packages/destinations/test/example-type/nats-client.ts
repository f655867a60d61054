import { connect, type Socket } from 'node:net'
import type { DeliveryDestination } from '@postrider/common'
import type { SendRequest, SendResult } from '../../src/destination-type.ts'
import { eventMetadata } from '../../src/event-metadata.ts'
import { failureCode } from '../../src/failure-code.ts'
import type { AddressGuard } from '../../src/guard/address-guard.ts'
import { parseHostPort } from '../../src/host-port.ts'
import { headerText } from '../../src/http/header-text.ts'
import { isError } from '../../src/is-error.ts'
import type { SendingClient } from '../../src/pooled-sender.ts'
import { failed, succeeded } from '../../src/send-result.ts'

const PORT = 4222

/** One connection to a server of NATS, made when it is first needed, and again when it was lost. */
export class NatsClient implements SendingClient {
  readonly #destination: DeliveryDestination
  readonly #guard: AddressGuard
  #connection: Promise<Connection> | null = null

  constructor(destination: DeliveryDestination, guard: AddressGuard) {
    this.#destination = destination
    this.#guard = guard
  }

  /** Gives the connection up when the signal aborts. */
  async send(request: SendRequest, signal: AbortSignal): Promise<SendResult> {
    const headers = Object.entries(eventMetadata(request)).map(
      ([name, value]) => `${name}: ${headerText(value)}\r\n`,
    )
    try {
      return resultOf(await this.#publish(headers.join(''), request.data, signal))
    } catch (error) {
      const code = isError(error) ? failureCode(error) : null
      // Out of sockets, say: a fault of ours is thrown, and no attempt is counted.
      if (code === null) throw error
      return failed(code)
    }
  }

  async #publish(headers: string, data: Buffer, signal: AbortSignal): Promise<string> {
    this.#connection ??= this.#open(signal)
    const connection = await this.#connection
    const { subject = '' } = this.#destination.config
    const head = Buffer.from(`NATS/1.0\r\n${headers}\r\n`)
    const command = `HPUB ${subject} ${head.length} ${head.length + data.length}\r\n`
    return await connection.ask(Buffer.concat([Buffer.from(command), head, data, END]), signal)
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => null)
    connection?.destroy()
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    try {
      const { tenantUid, config, credentials } = this.#destination
      const host = parseHostPort(config['server'] ?? '')
      const hostname = host?.url.hostname ?? ''
      // The address that the guard judged is the one that is connected to.
      const guarded = await this.#guard.socketOptions(hostname, tenantUid)
      const socket = connect({ host: hostname, port: host?.port ?? PORT, ...guarded })
      const connection = new Connection(socket, () => {
        this.#connection = null
      })
      const options = { verbose: true, headers: true, auth_token: credentials['token'] }
      await connection.ask(Buffer.from(`CONNECT ${JSON.stringify(options)}\r\n`), signal)
      return connection
    } catch (error) {
      this.#connection = null
      throw error
    }
  }
}

const END = Buffer.from('\r\n')

function resultOf(answer: string): SendResult {
  if (answer === '+OK') return succeeded('ok')
  if (/authorization/i.test(answer)) return failed('auth_failed')
  return failed(/permissions/i.test(answer) ? 'access_denied' : 'protocol_error')
}

/** Commands and the server's answers, which come in the same order. */
class Connection {
  readonly #socket: Socket
  readonly #onLost: () => void
  readonly #waiting: Question[] = []
  #line = ''

  constructor(socket: Socket, onLost: () => void) {
    this.#socket = socket
    this.#onLost = onLost
    socket.setEncoding('utf8').on('data', (text: string) => this.#onText(text))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new LostError()))
  }

  /** What is not answered when the signal aborts costs the connection: the order would be lost. */
  async ask(command: Buffer, signal: AbortSignal): Promise<string> {
    const giveUp = (): void => this.destroy()
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.push({ resolve, reject })
        this.#socket.write(command)
      })
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  destroy(): void {
    this.#socket.destroy()
    this.#fail(new LostError())
  }

  #onText(text: string): void {
    const lines = (this.#line + text).split('\r\n')
    this.#line = lines.pop() ?? ''
    for (const line of lines) {
      if (line === 'PING') this.#socket.write('PONG\r\n')
      else if (/^(?:\+OK|-ERR)/.test(line)) this.#waiting.shift()?.resolve(line)
    }
  }

  #fail(error: Error): void {
    this.#onLost()
    for (const question of this.#waiting.splice(0)) question.reject(error)
  }
}

class LostError extends Error {
  readonly code = 'ECONNRESET'
}

interface Question {
  resolve(line: string): void
  reject(error: Error): void
}

import type { Socket } from 'node:net'
import rhea, {
  type AmqpError,
  type Connection,
  type EventContext,
  type Message,
  type Sender,
} from 'rhea'
import { BusQueue } from './bus-queue.ts'
import { BusFaults, type BusPoint } from './faults.ts'
import { type AccessKey, tokenFault } from './sas-token.ts'

/** Where clients show their tokens. */
const TOKENS = '$cbs'

/** A message as it arrived. */
export interface BusMessage {
  readonly queue: string
  readonly messageId: string
  readonly contentType: string
  readonly properties: Readonly<Record<string, unknown>>
  /** The bytes of its data section. */
  readonly body: Buffer
}

/**
 * The service's side of AMQP 1.0: tokens, links that send to queues, and links that receive from them
 * and delete at once. No sessions, no locks, no management.
 */
export class BusServer {
  readonly container = rhea.create_container({ id: 'service-bus' })
  readonly faults = new BusFaults()
  readonly received: BusMessage[] = []
  readonly #queues: ReadonlyMap<string, BusQueue>
  readonly #key: AccessKey

  constructor(queues: readonly string[], key: AccessKey) {
    this.#queues = new Map(queues.map((name) => [name, new BusQueue()]))
    this.#key = key
    this.container.sasl_server_mechanisms.enable_anonymous()
    this.container.on('receiver_open', (context: EventContext) => this.#openIncoming(context))
    this.container.on('sender_open', (context: EventContext) => this.#openOutgoing(context))
    this.container.on('sendable', ({ sender }: EventContext) => this.#queueOf(sender)?.wake())
    this.container.on('sender_draining', ({ sender }: EventContext) => sender?.set_drained(true))
    this.container.on('sender_close', ({ sender }: EventContext) => this.#closeOutgoing(sender))
    this.container.on('message', (context: EventContext) => this.#receive(context))
    // Cut connections are what tests are about; without listeners rhea writes them to the console.
    for (const event of ['disconnected', 'connection_error', 'protocol_error', 'error']) {
      this.container.on(event, () => undefined)
    }
  }

  /** Ends a connection without a word. */
  #cut(connection: Connection): void {
    // rhea's typings leave the socket out. With an error, or rhea would not notice.
    const { socket } = connection as unknown as { readonly socket: Socket }
    socket.destroy(new Error('cut'))
  }

  /** A client is about to send: to a queue, or its token. */
  #openIncoming({ receiver, connection }: EventContext): void {
    const address = receiver?.target.address ?? ''
    receiver?.set_target({ address })
    if (address === TOKENS) return
    const struck = this.#strike('link', connection)
    if (struck === 'silence') return
    const error = struck ?? (this.#queues.has(address) ? null : notFound(address))
    if (error !== null) receiver?.close(error)
  }

  #openOutgoing({ sender }: EventContext): void {
    const address = sender?.source.address ?? ''
    sender?.set_source({ address })
    const queue = this.#queues.get(address)
    if (queue !== undefined && sender !== undefined) queue.addReader(sender)
    else if (address !== TOKENS) sender?.close(notFound(address))
  }

  #closeOutgoing(sender: Sender | undefined): void {
    if (sender !== undefined) this.#queueOf(sender)?.removeReader(sender)
  }

  #queueOf(sender: Sender | undefined): BusQueue | undefined {
    return this.#queues.get(sender?.source.address ?? '')
  }

  #receive({ message, receiver, delivery, connection }: EventContext): void {
    if (message === undefined) return
    const address = receiver?.target.address ?? ''
    const struck = this.#strike(address === TOKENS ? 'token' : 'message', connection)
    if (struck === 'silence') return
    if (address === TOKENS) {
      delivery?.accept()
      this.#answerToken(connection, message, struck)
    } else if (struck === null) {
      this.received.push(asReceived(address, message))
      this.#queues.get(address)?.add(message)
      delivery?.accept()
    } else {
      // In a turn of its own: rhea gives two answers of one turn the state of the first, and would refuse
      // what was taken.
      setImmediate(() => delivery?.reject(struck))
    }
  }

  #answerToken(connection: Connection, request: Message, struck: AmqpError | null): void {
    const refusal =
      struck === null ? tokenFault(String(request.body), this.#key) : struck.description
    const link = connection.find_sender((sender: Sender) => sender.source.address === TOKENS)
    link?.send({
      to: String(request.reply_to),
      correlation_id: String(request.message_id),
      application_properties: {
        'status-code': refusal === null ? 202 : 401,
        'status-description': refusal ?? 'Accepted',
      },
      body: null,
    })
  }

  /** What goes wrong at this point; null: nothing. A cut has happened when this returns. */
  #strike(at: BusPoint, connection: Connection): AmqpError | 'silence' | null {
    const fault = this.faults.next(at)
    if (fault === null) return null
    if (fault.kind === 'cut') this.#cut(connection)
    if (fault.kind !== 'refuse') return 'silence'
    return { condition: fault.condition, description: fault.description ?? 'as the test wants it' }
  }
}

function notFound(address: string): AmqpError {
  const description = `The messaging entity '${address}' could not be found.`
  return { condition: 'amqp:not-found', description }
}

function asReceived(queue: string, message: Message): BusMessage {
  return {
    queue,
    messageId: String(message.message_id),
    contentType: String(message.content_type),
    properties: message.application_properties ?? {},
    // What came in a data section; a body of another kind is not what a sender of ours may write.
    body: Buffer.from(message.body.content as Buffer),
  }
}

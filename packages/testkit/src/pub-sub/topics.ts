import { status } from '@grpc/grpc-js'

/** A message as it arrived. */
export interface PubSubMessage {
  readonly data: Buffer
  readonly attributes: Readonly<Record<string, string>>
}

/** A message that was taken. */
export interface PublishedMessage extends PubSubMessage {
  readonly topic: string
  readonly messageId: string
}

/** The status with which a call ends. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Limits of Pub/Sub, per message: https://cloud.google.com/pubsub/quotas */
const MAX_ATTRIBUTES = 100
const MAX_KEY_BYTES = 256
const MAX_VALUE_BYTES = 1024
const MAX_MESSAGES = 1000

/**
 * Topics, each with a subscription of the same name. What is pulled is gone: there are no deadlines for
 * acknowledging.
 */
export class Topics {
  readonly published: PublishedMessage[] = []
  readonly #waiting: ReadonlyMap<string, PublishedMessage[]>

  /** @param names - `projects/<project>/topics/<topic>` */
  constructor(names: readonly string[]) {
    this.#waiting = new Map(names.map((name) => [name, []]))
  }

  /**
   * Takes all of the messages or none, and returns their ids.
   *
   * @throws {StatusError} When it takes none
   */
  publish(topic: string, messages: readonly PubSubMessage[]): readonly string[] {
    const waiting = this.#waitingIn(topic)
    const fault = messages.length > MAX_MESSAGES || messages.some(isRefused)
    if (fault) throw new StatusError(status.INVALID_ARGUMENT, 'A message is not as it must be.')
    return messages.map(({ data, attributes }) => {
      const messageId = String(this.published.length + 1)
      const message = { topic, messageId, data, attributes }
      this.published.push(message)
      waiting.push(message)
      return messageId
    })
  }

  /** @throws {StatusError} When there is no such subscription */
  pull(subscription: string, maxMessages: number): readonly PublishedMessage[] {
    const waiting = this.#waitingIn(subscription.replace('/subscriptions/', '/topics/'))
    return waiting.splice(0, maxMessages)
  }

  #waitingIn(topic: string): PublishedMessage[] {
    const waiting = this.#waiting.get(topic)
    if (waiting !== undefined) return waiting
    const name = topic.slice(topic.lastIndexOf('/') + 1)
    throw new StatusError(status.NOT_FOUND, `Resource not found (resource=${name}).`)
  }
}

function isRefused({ data, attributes }: PubSubMessage): boolean {
  const entries = Object.entries(attributes)
  return (
    (data.length === 0 && entries.length === 0) ||
    entries.length > MAX_ATTRIBUTES ||
    entries.some(
      ([key, value]) =>
        key === '' ||
        Buffer.byteLength(key) > MAX_KEY_BYTES ||
        Buffer.byteLength(value) > MAX_VALUE_BYTES,
    )
  )
}

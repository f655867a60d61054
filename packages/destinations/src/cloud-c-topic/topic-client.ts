import { cleanText } from '@postrider/common'
import { BatchedSends, type CallResult } from '../batched-sends.ts'
import type { SendRequest, SendResult } from '../destination-type.ts'
import type { SendingClient } from '../pooled-sender.ts'
import { failed, succeeded } from '../send-result.ts'
import { TopicFailureError } from './topic-failure.ts'
import { TopicLink, type TopicLinkOptions } from './topic-link.ts'
import { MAX_CALL_BYTES, topicMessage, type TopicMessage } from './topic-message.ts'
import type { TopicSettings } from './topic-settings.ts'

/** Far below the thousand that the service takes: a call that fails, fails all of its messages. */
const MAX_MESSAGES = 100
const CALLS_AT_ONCE = 4
/** Those of Pub/Sub have 16 characters or so; whatever else answers is not kept at any length. */
const MAX_ID_LENGTH = 256

interface WeighedMessage {
  readonly message: TopicMessage
  readonly bytes: number
}

/** Publishes to one topic; connects when it has to, and again when the connection was lost. */
export class TopicClient implements SendingClient {
  readonly #makeLink: () => TopicLink
  readonly #sends: BatchedSends<WeighedMessage>
  #link: TopicLink | null = null

  constructor(settings: TopicSettings, options: TopicLinkOptions) {
    this.#makeLink = () => new TopicLink(settings, options)
    this.#sends = new BatchedSends({
      maxItems: MAX_MESSAGES,
      maxBytes: MAX_CALL_BYTES,
      bytesOf: ({ bytes }) => bytes,
      concurrency: CALLS_AT_ONCE,
      call: async (messages, signal) => this.#call(messages, signal),
    })
  }

  async send(request: SendRequest, signal: AbortSignal): Promise<SendResult> {
    const prepared = topicMessage(request)
    return prepared.kind === 'refused' ? prepared.result : this.#sends.send(prepared, signal)
  }

  async close(): Promise<void> {
    this.#link?.end()
  }

  async #call(messages: readonly WeighedMessage[], signal: AbortSignal): Promise<CallResult> {
    if (this.#link === null || this.#link.isEnded) this.#link = this.#makeLink()
    try {
      const ids = await this.#link.publish(
        messages.map(({ message }) => message),
        signal,
      )
      return { kind: 'answered', results: ids.map(taken) }
    } catch (error) {
      if (!(error instanceof TopicFailureError)) throw error
      const { code, response, isAboutContent } = error
      return { kind: 'failed', result: { ...failed(code), response }, isAboutContent }
    }
  }
}

function taken(messageId: string): SendResult {
  const head = { message_id: cleanText(messageId.slice(0, MAX_ID_LENGTH)) }
  return { ...succeeded('accepted'), response: { head, body: Buffer.alloc(0), cut: false } }
}

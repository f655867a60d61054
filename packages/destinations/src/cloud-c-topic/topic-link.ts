import type { AddressGuard } from '../guard/address-guard.ts'
import { ConnectFailureError } from '../guard/failures.ts'
import { refused } from '../send-result.ts'
import { unlessAborted } from '../unless-aborted.ts'
import { AccountKeyError } from './account-tokens.ts'
import { type OpenTopic, openTopic, type PublishAnswer } from './open-topic.ts'
import { callFailure, TopicFailureError } from './topic-failure.ts'
import type { TopicMessage } from './topic-message.ts'
import type { TopicSettings } from './topic-settings.ts'

export interface TopicLinkOptions {
  readonly guard: AddressGuard
  /** Trusted in place of what Node trusts, PEM; null: Node's own. */
  readonly rootCertificates: Buffer | null
}

/**
 * One connection to the service of a topic, at one of the addresses that its name had when it was made.
 * It ends when the connection is lost or hangs, or when the service closes it, which calls under way
 * outlive; and stays ended: its owner makes another one, which asks for the addresses again.
 */
export class TopicLink {
  readonly #cut = new AbortController()
  readonly #opening: Promise<OpenTopic>
  /** How often the service has answered. */
  #answers = 0
  #calls = 0
  #isClosing = false

  constructor(settings: TopicSettings, options: TopicLinkOptions) {
    this.#opening = this.#open(settings, options)
    // Whoever publishes hears of a failure.
    this.#opening.catch(() => undefined)
  }

  /** It takes no more calls. */
  get isEnded(): boolean {
    return this.#isClosing || this.#cut.signal.aborted
  }

  /**
   * Publishes all of the messages or none; resolves with their ids.
   *
   * @param expiry - cancels the call; a service that has been silent since it began loses the connection
   * @throws {TopicFailureError} When the service has taken none, as far as anybody knows
   * @throws When the fault is ours, before anything was sent
   */
  async publish(
    messages: readonly TopicMessage[],
    expiry: AbortSignal,
  ): Promise<readonly string[]> {
    this.#calls += 1
    try {
      const topic = await unlessAborted(this.#opening, expiry)
      const { messageIds } = await this.#call(topic, messages, expiry)
      this.#answers += 1
      return messageIds
    } catch (error) {
      if (expiry.aborted) throw new TopicFailureError('timeout')
      if (!(error instanceof TopicFailureError)) throw error
      if (error.isLoss) this.end()
      else this.#answers += 1
      throw error
    } finally {
      this.#calls -= 1
      if (this.#isClosing) this.#endWhenUnused()
    }
  }

  /** Destroys its connections, and ends calls under way with them. */
  end(): void {
    this.#cut.abort()
    // Its timers would go on. It was never opened, or there is nothing to do about it.
    this.#opening.then((topic) => topic.close()).catch(() => undefined)
  }

  #endWhenUnused(): void {
    if (this.#calls === 0) this.end()
  }

  async #open(settings: TopicSettings, options: TopicLinkOptions): Promise<OpenTopic> {
    try {
      const onClosing = (): void => {
        this.#isClosing = true
        this.#endWhenUnused()
      }
      return await openTopic(settings, { ...options, cut: this.#cut.signal, onClosing })
    } catch (error) {
      this.#cut.abort()
      throw openFailure(error)
    }
  }

  async #call(
    topic: OpenTopic,
    messages: readonly TopicMessage[],
    expiry: AbortSignal,
  ): Promise<PublishAnswer> {
    const answersBefore = this.#answers
    let onExpiry: (() => void) | undefined
    try {
      return await new Promise((resolve, reject) => {
        const call = topic.publish(messages, (error, answer) => {
          if (error !== null) reject(callFailure(error, topic.isTls))
          else if (answer?.messageIds.length === messages.length) resolve(answer)
          else reject(new TopicFailureError('protocol_error'))
        })
        // At once, so that the next call does not get onto a connection that hangs.
        onExpiry = () => {
          call.cancel()
          if (this.#answers === answersBefore) this.end()
        }
        if (expiry.aborted) onExpiry()
        else expiry.addEventListener('abort', onExpiry, { once: true })
      })
    } finally {
      if (onExpiry !== undefined) expiry.removeEventListener('abort', onExpiry)
    }
  }
}

/** @returns The error itself, when the fault is ours */
function openFailure(error: unknown): unknown {
  if (error instanceof ConnectFailureError) return new TopicFailureError(error.code)
  if (!(error instanceof AccountKeyError)) return error
  const { response } = refused('auth_failed', error.message)
  return new TopicFailureError('auth_failed', { response })
}

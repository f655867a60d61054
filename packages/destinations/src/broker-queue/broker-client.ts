import type { SendRequest, SendResult } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import type { SendingClient } from '../pooled-sender.ts'
import { failed, succeeded } from '../send-result.ts'
import { BrokerFailureError } from './broker-failure.ts'
import { BrokerLink } from './broker-link.ts'
import { brokerMessage } from './broker-message.ts'
import type { BrokerSettings } from './broker-settings.ts'

/** Publishes to one broker as one user; connects when it has to, and again when the connection was lost. */
export class BrokerClient implements SendingClient {
  readonly #makeLink: () => BrokerLink
  #link: BrokerLink | null = null

  /** @param openTimeoutMs - for a connection, and for a channel on it */
  constructor(settings: BrokerSettings, guard: AddressGuard, openTimeoutMs: number) {
    this.#makeLink = () => new BrokerLink(settings, guard, openTimeoutMs)
  }

  async send(request: SendRequest, signal: AbortSignal): Promise<SendResult> {
    const prepared = brokerMessage(request)
    if (prepared.kind === 'refused') return prepared.result
    if (this.#link === null || this.#link.isEnded) this.#link = this.#makeLink()
    try {
      const code = await this.#link.publish(prepared.message, expiry(signal))
      return code === 'confirmed' ? succeeded(code) : failed(code)
    } catch (error) {
      if (error instanceof BrokerFailureError) return failed(error.code)
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#link?.close()
  }
}

/** Rejects with a timeout when the signal aborts. */
async function expiry(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const expire = (): void => reject(new BrokerFailureError('timeout'))
    if (signal.aborted) expire()
    else signal.addEventListener('abort', expire, { once: true })
  })
}

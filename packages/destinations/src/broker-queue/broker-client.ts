import type { Client } from '../client-pool.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { BrokerFailureError } from './broker-failure.ts'
import { BrokerLink } from './broker-link.ts'
import type { BrokerSettings } from './broker-settings.ts'
import type { BrokerMessage } from './publish-channel.ts'

/** Publishes to one broker as one user; connects when it has to, and again when the connection was lost. */
export class BrokerClient implements Client {
  readonly #makeLink: () => BrokerLink
  #link: BrokerLink | null = null

  /** @param openTimeoutMs - for a connection, and for a channel on it */
  constructor(settings: BrokerSettings, guard: AddressGuard, openTimeoutMs: number) {
    this.#makeLink = () => new BrokerLink(settings, guard, openTimeoutMs)
  }

  /**
   * Resolves with `confirmed` or the code of the failure; `timeout` as soon as the signal aborts.
   *
   * @throws When the fault is ours, before anything was sent
   */
  async publish(message: BrokerMessage, signal: AbortSignal): Promise<string> {
    if (this.#link === null || this.#link.isEnded) this.#link = this.#makeLink()
    try {
      return await this.#link.publish(message, expiry(signal))
    } catch (error) {
      if (error instanceof BrokerFailureError) return error.code
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

import type { Client } from '../client-pool.ts'
import type { SendResult } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { failed, succeeded } from '../send-result.ts'
import { BusFailureError } from './bus-failure.ts'
import { BusLink } from './bus-link.ts'
import type { BusMessage } from './bus-message.ts'
import type { BusSettings } from './bus-settings.ts'

/** Sends to one queue or topic; connects when it has to, and again when the connection was lost. */
export class BusClient implements Client {
  readonly #makeLink: () => BusLink
  #link: BusLink | null = null

  /** @param openTimeoutMs - for a connection with its link */
  constructor(settings: BusSettings, guard: AddressGuard, openTimeoutMs: number) {
    this.#makeLink = () => new BusLink(settings, guard, openTimeoutMs)
  }

  /**
   * What came of a message by the time at which the signal aborts.
   *
   * @throws When the fault is ours, before anything was sent
   */
  async send(message: BusMessage, expiry: AbortSignal): Promise<SendResult> {
    if (this.#link === null || this.#link.isEnded) this.#link = this.#makeLink()
    try {
      await this.#link.send(message, expiry)
      return succeeded('accepted')
    } catch (error) {
      if (error instanceof BusFailureError) {
        return { ...failed(error.code), response: error.response }
      }
      if (expiry.aborted) return failed('timeout')
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#link?.close()
  }
}

import type { SendRequest, SendResult } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import type { SendingClient } from '../pooled-sender.ts'
import { failed, refused, succeeded } from '../send-result.ts'
import { BusFailureError } from './bus-failure.ts'
import { BusLink } from './bus-link.ts'
import { busMessage, MAX_PROPERTIES_BYTES } from './bus-message.ts'
import type { BusSettings } from './bus-settings.ts'

/** Sends to one queue or topic; connects when it has to, and again when the connection was lost. */
export class BusClient implements SendingClient {
  readonly #makeLink: () => BusLink
  #link: BusLink | null = null

  /** @param openTimeoutMs - for a connection with its link */
  constructor(settings: BusSettings, guard: AddressGuard, openTimeoutMs: number) {
    this.#makeLink = () => new BusLink(settings, guard, openTimeoutMs)
  }

  async send(request: SendRequest, expiry: AbortSignal): Promise<SendResult> {
    const message = busMessage(request)
    if (message === null) {
      return refused('too_large', `metadata is at most ${MAX_PROPERTIES_BYTES} bytes of a message`)
    }
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

import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressGuard } from '../guard/address-guard.ts'
import { isError } from '../is-error.ts'
import { unlessAborted } from '../unless-aborted.ts'
import { BusFailureError, serviceFailure, tooLarge } from './bus-failure.ts'
import type { BusMessage } from './bus-message.ts'
import type { BusSettings } from './bus-settings.ts'
import { type OpenBus, openBus } from './open-bus.ts'

const CLOSE_TIMEOUT_MS = 2000

/**
 * One connection to Service Bus with one link that sends.
 *
 *     opening ──► open ──► ended (refused, lost, hung, closed)
 *
 * An ended link stays ended; its owner makes another one. The SDK by itself would connect again, wait
 * for a minute on a service that says nothing, and not tell why: so it has one socket, and is given up
 * together with it.
 */
export class BusLink {
  readonly #cut = new AbortController()
  readonly #opening: Promise<OpenBus>
  readonly #inFlight = new Set<AbortController>()
  /** How often the service has taken or refused a message here. */
  #words = 0
  #isOpen = false
  #end: Error | null = null

  /** @param openTimeoutMs - for name, TCP, TLS, token and link together */
  constructor(settings: BusSettings, guard: AddressGuard, openTimeoutMs: number) {
    const onEnd = (loss: Error): void => this.#finish(loss)
    const opening = openBus(settings, { guard, cut: this.#cut.signal, onEnd })
    this.#opening = this.#inTime(opening, openTimeoutMs)
    // Whoever sends hears of a failure.
    this.#opening.catch(() => undefined)
  }

  get isEnded(): boolean {
    return this.#end !== null
  }

  /**
   * Resolves when the service has taken the message.
   *
   * @param expiry - aborts when the message's time is over; a service that has been silent since the
   *   message was handed to it loses the connection
   * @throws {BusFailureError} When the service has not taken it, as far as anybody knows
   * @throws When the fault is ours, before anything was sent
   */
  async send(message: BusMessage, expiry: AbortSignal): Promise<void> {
    const bus = await unlessAborted(this.#opening, expiry)
    if (bus.maxMessageBytes > 0 && message.bytes > bus.maxMessageBytes) {
      throw tooLarge(bus.maxMessageBytes)
    }
    try {
      await this.#sendOver(bus, message, expiry)
      this.#words += 1
    } catch (error) {
      if (expiry.aborted) throw new BusFailureError('timeout')
      if (this.#end !== null) throw this.#end
      this.#words += 1
      throw serviceFailure(error)
    }
  }

  /** Closes it in order, or cuts it when the service does not answer, or when it is not open yet. */
  async close(): Promise<void> {
    if (this.#isOpen) await this.#closeInOrder()
    this.#finish(new BusFailureError('connection_reset'))
  }

  async #closeInOrder(): Promise<void> {
    const timeout = new AbortController()
    const expired = sleep(CLOSE_TIMEOUT_MS, undefined, { signal: timeout.signal })
    const closed = this.#opening.then(({ client }) => client.close())
    // It is lost already, or is lost while it closes, of which the SDK tells nobody.
    const lost = unlessAborted(expired, this.#cut.signal)
    await Promise.race([closed, lost]).catch(() => undefined)
    timeout.abort()
  }

  async #sendOver(bus: OpenBus, { message }: BusMessage, expiry: AbortSignal): Promise<void> {
    // The end of the link cancels it, too: the SDK waits on for the answer over a lost connection.
    const cancel = new AbortController()
    const wordsBefore = this.#words
    // At once, so that the next message does not get onto a link that hangs.
    const onExpiry = (): void => {
      cancel.abort()
      if (this.#words === wordsBefore) this.#finish(new BusFailureError('connection_reset'))
    }
    expiry.addEventListener('abort', onExpiry, { once: true })
    this.#inFlight.add(cancel)
    try {
      bus.transport.allowAnswer()
      const sending = bus.sender.sendMessages(message, { abortSignal: cancel.signal })
      await unlessAborted(sending, cancel.signal)
    } finally {
      this.#inFlight.delete(cancel)
      expiry.removeEventListener('abort', onExpiry)
    }
  }

  async #inTime(opening: Promise<OpenBus>, timeoutMs: number): Promise<OpenBus> {
    const timer = setTimeout(() => this.#finish(new BusFailureError('timeout')), timeoutMs)
    try {
      const bus = await unlessAborted(opening, this.#cut.signal)
      this.#isOpen = true
      return bus
    } catch (error) {
      this.#finish(isError(error) ? error : new Error('no link', { cause: error }))
      throw this.#end
    } finally {
      clearTimeout(timer)
    }
  }

  #finish(end: Error): void {
    if (this.#end !== null) return
    this.#end = end
    this.#cut.abort()
    for (const cancel of this.#inFlight) cancel.abort()
  }
}

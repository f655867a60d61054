import { ClientPool } from '../client-pool.ts'
import { withinDeadline } from '../deadline.ts'
import type { Sender, SendRequest, SendResult } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { failed, refused } from '../send-result.ts'
import { BusClient } from './bus-client.ts'
import { busMessage, MAX_PROPERTIES_BYTES } from './bus-message.ts'
import { busSettings } from './bus-settings.ts'

export interface CloudBBusSenderOptions {
  readonly guard: AddressGuard
  /** For name, TCP, TLS, token and link together. */
  readonly openTimeoutMs: number
}

/** Sends to the queues and topics of tenants. */
export class CloudBBusSender implements Sender {
  readonly #clients: ClientPool<BusClient>

  constructor({ guard, openTimeoutMs }: CloudBBusSenderOptions) {
    this.#clients = new ClientPool({
      create(destination) {
        const settings = busSettings(destination)
        if (settings === null) throw new Error('settings were not checked before they were used')
        return new BusClient(settings, guard, openTimeoutMs)
      },
    })
  }

  async send(request: SendRequest): Promise<SendResult> {
    const { destination, timeoutMs } = request
    // Settings that no longer pass validation, such as after an upgrade: the tenant's to mend.
    if (busSettings(destination) === null) return failed('unsendable')
    const message = busMessage(request)
    if (message === null) {
      return refused('too_large', `metadata is at most ${MAX_PROPERTIES_BYTES} bytes of a message`)
    }
    return withinDeadline(timeoutMs, (expiry) =>
      this.#clients.use(destination, (client) => client.send(message, expiry)),
    )
  }

  async stop(): Promise<void> {
    await this.#clients.stop()
  }
}

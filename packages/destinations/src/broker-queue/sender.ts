import { ClientPool } from '../client-pool.ts'
import { withinDeadline } from '../deadline.ts'
import type { Sender, SendRequest, SendResult } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { failed, succeeded } from '../send-result.ts'
import { BrokerClient } from './broker-client.ts'
import { brokerMessage } from './broker-message.ts'
import { brokerSettings } from './broker-settings.ts'

export interface BrokerQueueSenderOptions {
  readonly guard: AddressGuard
  /** For name, TCP, TLS and handshake together, and again for a channel. */
  readonly openTimeoutMs: number
}

/** Publishes to the brokers of tenants. */
export class BrokerQueueSender implements Sender {
  readonly #clients: ClientPool<BrokerClient>

  constructor({ guard, openTimeoutMs }: BrokerQueueSenderOptions) {
    this.#clients = new ClientPool({
      create(destination) {
        const settings = brokerSettings(destination)
        if (settings === null) throw new Error('settings were not checked before they were used')
        return new BrokerClient(settings, guard, openTimeoutMs)
      },
    })
  }

  async send(request: SendRequest): Promise<SendResult> {
    const { destination, timeoutMs } = request
    // Settings that no longer pass validation, such as after an upgrade: the tenant's to mend.
    if (brokerSettings(destination) === null) return failed('unsendable')
    const prepared = brokerMessage(request)
    if (prepared.kind === 'refused') return prepared.result
    const { message } = prepared
    return withinDeadline(timeoutMs, async (signal) => {
      const code = await this.#clients.use(destination, (client) => client.publish(message, signal))
      return code === 'confirmed' ? succeeded(code) : failed(code)
    })
  }

  async stop(): Promise<void> {
    await this.#clients.stop()
  }
}

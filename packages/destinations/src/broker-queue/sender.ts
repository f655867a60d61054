import { ClientPool } from '../client-pool.ts'
import { withinDeadline } from '../deadline.ts'
import type { Sender, SendRequest, SendResult } from '../destination-type.ts'
import { eventMetadata } from '../event-metadata.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { failed, succeeded } from '../send-result.ts'
import { BrokerClient } from './broker-client.ts'
import { brokerSettings } from './broker-settings.ts'
import type { BrokerMessage } from './publish-channel.ts'

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
    const message = messageOf(request)
    return withinDeadline(timeoutMs, async (signal) => {
      const code = await this.#clients.use(destination, (client) => client.publish(message, signal))
      return code === 'confirmed' ? succeeded(code) : failed(code)
    })
  }

  async stop(): Promise<void> {
    await this.#clients.stop()
  }
}

function messageOf(request: SendRequest): BrokerMessage {
  const { exchange = '', routing_key: routingKey = '' } = request.destination.config
  return {
    exchange,
    routingKey: routingKey === '' ? request.topic : routingKey,
    messageId: request.eventId,
    headers: eventMetadata(request),
    body: request.data,
  }
}

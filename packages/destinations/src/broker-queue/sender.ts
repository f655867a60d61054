import type { AddressGuard } from '../guard/address-guard.ts'
import { PooledSender } from '../pooled-sender.ts'
import { BrokerClient } from './broker-client.ts'
import { brokerSettings } from './broker-settings.ts'

export interface BrokerQueueSenderOptions {
  readonly guard: AddressGuard
  /** For name, TCP, TLS and handshake together, and again for a channel. */
  readonly openTimeoutMs: number
}

/** Publishes to the brokers of tenants. */
export class BrokerQueueSender extends PooledSender {
  constructor({ guard, openTimeoutMs }: BrokerQueueSenderOptions) {
    super((destination) => {
      const settings = brokerSettings(destination)
      return settings === null ? null : new BrokerClient(settings, guard, openTimeoutMs)
    })
  }
}

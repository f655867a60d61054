import type { AddressGuard } from '../guard/address-guard.ts'
import { PooledSender } from '../pooled-sender.ts'
import { BusClient } from './bus-client.ts'
import { busSettings } from './bus-settings.ts'

export interface CloudBBusSenderOptions {
  readonly guard: AddressGuard
  /** For name, TCP, TLS, token and link together. */
  readonly openTimeoutMs: number
}

/** Sends to the queues and topics of tenants. */
export class CloudBBusSender extends PooledSender {
  constructor({ guard, openTimeoutMs }: CloudBBusSenderOptions) {
    super((destination) => {
      const settings = busSettings(destination)
      return settings === null ? null : new BusClient(settings, guard, openTimeoutMs)
    })
  }
}

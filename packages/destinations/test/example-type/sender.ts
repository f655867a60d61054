import type { AddressGuard } from '../../src/guard/address-guard.ts'
import { PooledSender } from '../../src/pooled-sender.ts'
import { NatsClient } from './nats-client.ts'

/** Publishes to the servers of tenants. */
export class NatsSubjectSender extends PooledSender {
  constructor(guard: AddressGuard) {
    super((destination) => new NatsClient(destination, guard))
  }
}

import type { DestinationType } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { BROKER_QUEUE_DOCUMENT, BROKER_QUEUE_EXAMPLE } from './document.ts'
import { BrokerQueueSender } from './sender.ts'
import { brokerQueueTarget } from './target.ts'
import { validateBrokerQueue } from './validate.ts'

export function createBrokerQueueType(
  guard: AddressGuard,
  connectTimeoutMs: number,
): DestinationType {
  return {
    document: BROKER_QUEUE_DOCUMENT,
    example: BROKER_QUEUE_EXAMPLE,
    validate: (settings) => validateBrokerQueue(settings, guard),
    target: brokerQueueTarget,
    createSender: () => new BrokerQueueSender({ guard, openTimeoutMs: connectTimeoutMs }),
  }
}

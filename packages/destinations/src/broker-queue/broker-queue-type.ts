import type { DestinationType } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { notYetSender } from '../not-yet-sender.ts'
import { BROKER_QUEUE_DOCUMENT } from './document.ts'
import { brokerQueueTarget } from './target.ts'
import { validateBrokerQueue } from './validate.ts'

export function createBrokerQueueType(guard: AddressGuard): DestinationType {
  return {
    document: BROKER_QUEUE_DOCUMENT,
    validate: (settings) => validateBrokerQueue(settings, guard),
    target: brokerQueueTarget,
    createSender: () => notYetSender,
  }
}

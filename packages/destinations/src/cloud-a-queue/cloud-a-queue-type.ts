import type { DestinationType } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { notYetSender } from '../not-yet-sender.ts'
import { CLOUD_A_QUEUE_DOCUMENT, CLOUD_A_QUEUE_EXAMPLE } from './document.ts'
import { cloudAQueueTarget } from './target.ts'
import { validateCloudAQueue } from './validate.ts'

export function createCloudAQueueType(guard: AddressGuard): DestinationType {
  return {
    document: CLOUD_A_QUEUE_DOCUMENT,
    example: CLOUD_A_QUEUE_EXAMPLE,
    validate: (settings) => validateCloudAQueue(settings, guard),
    target: cloudAQueueTarget,
    createSender: () => notYetSender,
  }
}

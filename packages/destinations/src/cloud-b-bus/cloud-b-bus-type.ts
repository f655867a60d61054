import type { DestinationType } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { CLOUD_B_BUS_DOCUMENT, CLOUD_B_BUS_EXAMPLE } from './document.ts'
import { CloudBBusSender } from './sender.ts'
import { cloudBBusTarget } from './target.ts'
import { validateCloudBBus } from './validate.ts'

export function createCloudBBusType(
  guard: AddressGuard,
  connectTimeoutMs: number,
): DestinationType {
  return {
    document: CLOUD_B_BUS_DOCUMENT,
    example: CLOUD_B_BUS_EXAMPLE,
    validate: (settings) => validateCloudBBus(settings, guard),
    target: cloudBBusTarget,
    createSender: () => new CloudBBusSender({ guard, openTimeoutMs: connectTimeoutMs }),
  }
}

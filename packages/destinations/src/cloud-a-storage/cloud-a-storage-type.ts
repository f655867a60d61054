import type { DestinationType } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { notYetSender } from '../not-yet-sender.ts'
import { CLOUD_A_STORAGE_DOCUMENT, CLOUD_A_STORAGE_EXAMPLE } from './document.ts'
import { cloudAStorageTarget } from './target.ts'
import { validateCloudAStorage } from './validate.ts'

export function createCloudAStorageType(guard: AddressGuard): DestinationType {
  return {
    document: CLOUD_A_STORAGE_DOCUMENT,
    example: CLOUD_A_STORAGE_EXAMPLE,
    validate: (settings) => validateCloudAStorage(settings, guard),
    target: cloudAStorageTarget,
    createSender: () => notYetSender,
  }
}

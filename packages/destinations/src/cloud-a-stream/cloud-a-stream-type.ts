import type { DestinationType } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { notYetSender } from '../not-yet-sender.ts'
import { CLOUD_A_STREAM_DOCUMENT, CLOUD_A_STREAM_EXAMPLE } from './document.ts'
import { cloudAStreamTarget } from './target.ts'
import { validateCloudAStream } from './validate.ts'

export function createCloudAStreamType(guard: AddressGuard): DestinationType {
  return {
    document: CLOUD_A_STREAM_DOCUMENT,
    example: CLOUD_A_STREAM_EXAMPLE,
    validate: (settings) => validateCloudAStream(settings, guard),
    target: cloudAStreamTarget,
    createSender: () => notYetSender,
  }
}

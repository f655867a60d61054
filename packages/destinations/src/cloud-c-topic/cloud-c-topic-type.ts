import type { DestinationType } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { CLOUD_C_TOPIC_DOCUMENT, CLOUD_C_TOPIC_EXAMPLE } from './document.ts'
import { CloudCTopicSender } from './sender.ts'
import { cloudCTopicTarget } from './target.ts'
import { validateCloudCTopic } from './validate.ts'

export function createCloudCTopicType(guard: AddressGuard): DestinationType {
  return {
    document: CLOUD_C_TOPIC_DOCUMENT,
    example: CLOUD_C_TOPIC_EXAMPLE,
    validate: (settings) => validateCloudCTopic(settings, guard),
    target: cloudCTopicTarget,
    createSender: () => new CloudCTopicSender({ guard, rootCertificates: null }),
  }
}
